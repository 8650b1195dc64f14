"""What is installed, and that the printed examples run."""

import importlib.metadata
import pathlib
import re
import runpy
import subprocess
import sys

import pytest

import stiction
from conftest import ROOT


def test_types_are_shipped():
    folder = pathlib.Path(stiction.__file__).parent
    stub = (folder / "_stiction.pyi").read_text()
    assert (folder / "py.typed").exists()
    for name in ("class ContactProblem", "def judge", "def make_solver", "def read_fclib", "def from_inertia", "class Simulator",
                 "def add_body", "dt: float = 0.0", "def load_mjcf", "def save", "def assemble", "class Comparison"):
        assert name in stub


def test_everything_public_is_documented():
    for name in ("solve", "residuals", "make_problem", "judge", "make_solver", "read_fclib", "contact_energy",
                 "ModelBuilder", "Model", "Simulator", "State", "StepReport", "inertia_matrix", "load_mjcf", "load", "load_urdf", "load_sdf", "save", "write_mjcf", "write_urdf",
                 "write_sdf", "assemble", "assembled", "assembly_error", "compare", "Comparison", "ComparedRun"):
        assert getattr(stiction, name).__doc__


def test_one_version():
    wanted = re.search(r"project\(stiction VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    command = subprocess.run([sys.executable, "-m", "stiction", "--version"], capture_output=True, text=True, check=True)
    assert stiction.__version__ == wanted
    assert importlib.metadata.version("stiction") == wanted
    assert command.stdout == f"stiction {wanted}\n"


def test_requires_numpy_alone():
    needed = [item for item in importlib.metadata.requires("stiction") if "extra ==" not in item]
    assert len(needed) == 1 and needed[0].startswith("numpy"), needed


def test_command_finds_its_scenes(tmp_path):
    program = pathlib.Path(sys.executable).with_name("stiction")
    for arguments in (("run", "scenes/quadruped.xml", "--steps", "5"), ("solve", "scenes/fclib/Rover1039.hdf5")):
        done = subprocess.run([program, *arguments], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    missing = subprocess.run([program, "run", "scenes/nothing.xml"], cwd=tmp_path, capture_output=True, text=True)
    assert missing.returncode == 2 and "scenes/nothing.xml: there is no such file" in missing.stderr


def test_library_of_mujoco_is_private():
    library = pathlib.Path(stiction.__file__).with_name("libstiction_mujoco.so")
    assert library.exists() and stiction.has_mjcf()
    opened = {line.split()[-1] for line in pathlib.Path("/proc/self/maps").read_text().splitlines() if "libstiction_mujoco" in line}
    assert opened == {str(library)}


@pytest.mark.parametrize("order", ["mujoco-first", "stiction-first", "global"])
def test_beside_mujoco(order):
    """With the MuJoCo of this environment; tools/wheel.sh tries other versions."""
    pytest.importorskip("mujoco")
    program = ROOT / "tests" / "wheel" / "beside_mujoco.py"
    done = subprocess.run([sys.executable, program, order], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def python_blocks(path):
    return re.findall(r"```python\n(.*?)```", path.read_text(), flags=re.DOTALL)


PAGES = [page for page in (ROOT / "README.md", ROOT / "docs" / "python.md") if page.exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_printed_examples_run(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    names = {}
    for block in python_blocks(page):
        exec(compile(block, str(page), "exec"), names)


def test_examples_run(capsys, monkeypatch):
    for path in sorted((ROOT / "examples").glob("*.py")):
        if path.name == "inverse_dynamics_robots.py":  # test_robots.py measures what it prints
            continue
        monkeypatch.setattr("sys.argv", [str(path)])
        runpy.run_path(str(path), run_name="__main__")
    printed = capsys.readouterr().out
    assert "auto           1000       1000" in printed
