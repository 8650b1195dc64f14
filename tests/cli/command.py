"""The `stiction` command as tests call it. Every test file is run as: FILE COMMAND SCENES"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

COMMAND = pathlib.Path(sys.argv.pop(1)).resolve()
SCENES = pathlib.Path(sys.argv.pop(1)).resolve()


def run(*arguments, timeout=300, cwd=None):
    return subprocess.run(
        [str(COMMAND), *map(str, arguments)], capture_output=True, text=True, timeout=timeout, check=False, cwd=cwd
    )


def until_it_works(process, seconds):
    """Until the program handles Ctrl-C and has computed for so long, on however busy a machine."""
    ticks, deadline = os.sysconf("SC_CLK_TCK"), time.monotonic() + 120
    proc = pathlib.Path(f"/proc/{process.pid}")
    handled = None  # processor time when the handler was there
    while time.monotonic() < deadline and process.poll() is None:
        user, system = proc.joinpath("stat").read_text().rpartition(")")[2].split()[11:13]
        used = (int(user) + int(system)) / ticks
        caught = next(line for line in proc.joinpath("status").read_text().splitlines() if line.startswith("SigCgt"))
        if handled is None and int(caught.split()[1], 16) >> (signal.SIGINT - 1) & 1:
            handled = used
        if handled is not None and used >= handled + seconds:
            return
        time.sleep(0.02)
    raise AssertionError("the program ended, or was not given time")


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def parse(text):
    return json.loads(text, parse_constant=refuse_constant)


# A build without MuJoCo reads no MJCF, and says so.
HAS_MJCF = "MuJoCo" not in run("info", SCENES / "ground.xml").stderr
