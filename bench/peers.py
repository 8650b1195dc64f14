#!/usr/bin/env python3
"""Our simulator beside MuJoCo, Drake, DART and Bullet; see --help and bench/README.md."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before any engine is loaded

from peers.main import main  # noqa: E402  (the package beside this file)

if __name__ == "__main__":
    raise SystemExit(main())
