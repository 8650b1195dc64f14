"""The `stiction` command: `python -m stiction run scene.xml`. The program itself is in the package."""

import os
import sys
from pathlib import Path


def main() -> None:
    program = Path(__file__).with_name("bin") / "stiction"
    os.environ["STICTION_PYTHON"] = sys.executable  # for the verbs that are written in Python
    os.execv(program, [str(program), *sys.argv[1:]])


if __name__ == "__main__":
    main()
