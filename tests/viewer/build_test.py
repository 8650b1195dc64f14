#!/usr/bin/env python3
"""The page that is committed is what its source builds, and its types are right. Usage: build_test.py ROOT

Skipped (exit code 77) where node or the packages are missing: npm ci --prefix viewer.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


def main():
    viewer = pathlib.Path(sys.argv[1]) / "viewer"
    if shutil.which("node") is None:
        print("skipped: there is no node")
        return SKIPPED
    if not (viewer / "node_modules" / "esbuild").is_dir():
        print("skipped: no packages; run npm ci --prefix viewer")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        built = pathlib.Path(folder) / "page.html"
        subprocess.run(["node", viewer / "build.mjs", built], check=True)
        if built.read_bytes() != (viewer / "dist" / "page.html").read_bytes():
            print("viewer/dist/page.html is not what viewer/src builds: run npm run build --prefix viewer, and commit it")
            return 1
    return subprocess.run([viewer / "node_modules" / ".bin" / "tsc", "--noEmit", "-p", viewer], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
