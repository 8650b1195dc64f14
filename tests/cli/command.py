"""The `stiction` command as tests call it. Every test file is run as: FILE COMMAND SCENES"""

import json
import pathlib
import subprocess
import sys

COMMAND = pathlib.Path(sys.argv.pop(1)).resolve()
SCENES = pathlib.Path(sys.argv.pop(1)).resolve()


def run(*arguments, timeout=300, cwd=None):
    return subprocess.run(
        [str(COMMAND), *map(str, arguments)], capture_output=True, text=True, timeout=timeout, check=False, cwd=cwd
    )


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def parse(text):
    return json.loads(text, parse_constant=refuse_constant)


# A build without MuJoCo reads no MJCF, and says so.
HAS_MJCF = "MuJoCo" not in run("info", SCENES / "ground.xml").stderr
