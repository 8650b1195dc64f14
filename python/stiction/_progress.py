"""What `progress=` of long calls means: False nothing, True a line on standard error, or a function (done, of)."""

from __future__ import annotations

import sys
import time
from typing import Callable, Optional, Union

Progress = Union[bool, Callable[[int, int], object]]
BETWEEN = 0.1  # s, of two lines


def teller(progress: Progress, label: str) -> Optional[Callable[[int, int], object]]:
    """Whom to tell how many are done of how many; None: nobody."""
    if callable(progress):
        return progress
    if not isinstance(progress, bool):
        raise TypeError(f"progress is {progress!r}; True, False or a function (done, of) is wanted")
    if not progress:
        return None
    begin, told = time.monotonic(), 0.0

    def tell(done: int, of: int) -> None:
        nonlocal told
        now = time.monotonic()
        if done >= of:
            sys.stderr.write("\r\033[K" if told else "")
        elif now - max(begin, told) >= BETWEEN:
            left = f", about {(now - begin) / done * (of - done):.0f} s to go" if done else ""
            sys.stderr.write(f"\r{label}: {done} of {of}{left}\033[K")
            told = now
        sys.stderr.flush()

    return tell
