#!/usr/bin/env python3
"""Installs a wheel of a folder into fresh environments of this Python, without a compiler in sight, and uses it.

    try_wheel.py FOLDER

The wheel is at most 25 MB, brings NumPy and nothing else, and takes at most 10 s of the processor to install; README's ten lines and the command
run; and in one process with MuJoCo 3.2, 3.14 and 4.0.1, imported before or after, both work.
"""

import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MINOR = sys.version_info[1]
USERS_MUJOCO = ["mujoco==3.2.0" if MINOR < 13 else "mujoco==3.2.7", "mujoco==3.14.0", "mujoco-core==4.0.1"]


def find_wheel(folder):
    pattern = "stiction-*-cp311-cp311-*.whl" if MINOR == 11 else "stiction-*-cp312-abi3-*.whl"
    (wheel,) = Path(folder).resolve().glob(pattern)
    assert "manylinux" in wheel.name, wheel
    assert wheel.stat().st_size <= 25e6, f"{wheel.name} has {wheel.stat().st_size} bytes"
    return wheel


class Environment:
    def __init__(self, folder):
        self.bin = folder / "bin"
        self.work = folder / "work"
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        self.work.mkdir()

    def run(self, *command):
        """In an empty folder, with the programs of the environment alone."""
        variables = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        done = subprocess.run([str(self.bin / command[0]), *map(str, command[1:])], cwd=self.work, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**variables, "PATH": str(self.bin)})
        assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stdout[-4000:]}"
        return done.stdout

    def install(self, *packages):
        """Wall time, and processor time, which others on the machine do not change, in s."""
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        self.run("python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:", *packages)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.perf_counter() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def packages(self):
        listed = self.run("python", "-m", "pip", "list", "--format=freeze").split()
        return {line.split("==")[0] for line in listed} - {"pip", "setuptools"}


def try_alone(wheel, folder):
    environment = Environment(folder)
    seconds, processor_seconds = environment.install(wheel)
    assert environment.packages() == {"stiction", "numpy"}, environment.packages()
    readme = (ROOT / "README.md").read_text()
    lines = re.search(r"## Ten lines of Python\s+```python\n(.*?)```", readme, flags=re.DOTALL)[1]
    printed = environment.run("python", "-c", lines)
    assert "certified" in printed or "eps_nat" in printed, printed
    version = environment.run("python", "-c", "import stiction; print(stiction.__version__)").strip()
    assert environment.run("stiction", "--version").strip() == f"stiction {version}"
    environment.run("stiction", "run", "scenes/quadruped.xml", "--time", "0.2")
    environment.run("stiction", "info", "scenes/quadruped.xml")
    environment.run("stiction", "convert", "scenes/quadruped.xml", "quadruped.urdf", "--allow-loss")
    environment.run("stiction", "solve", "scenes/fclib/Rover1039.hdf5", "--solver", "auto", "--json")
    assert "quadruped" in environment.run("stiction", "list", "scenes")
    assert environment.run("python", "-m", "stiction", "--version") == environment.run("stiction", "--version")
    print(f"  installed in {seconds:.1f} s ({processor_seconds:.1f} s of the processor), {wheel.stat().st_size / 1e6:.1f} MB, with NumPy alone: the ten lines and the command run")
    return processor_seconds


def try_beside(wheel, package, folder):
    environment = Environment(folder)
    environment.install(wheel, package)
    for order in ("mujoco-first", "stiction-first", "global"):
        print(f"  beside {package}, {order}:", environment.run("python", HERE / "beside_mujoco.py", order).strip())


def main():
    wheel = find_wheel(sys.argv[1])
    print(f"Python {sys.version.split()[0]}: {wheel.name}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seconds = try_alone(wheel, folder / "alone")
        for package in USERS_MUJOCO:
            try_beside(wheel, package, folder / package)
    assert seconds <= 10, f"the installation took {seconds:.1f} s of the processor"


if __name__ == "__main__":
    main()
