"""What is installed, and that the printed examples run."""

import pathlib
import re
import runpy

import pytest

import stiction
from conftest import ROOT


def test_types_are_shipped():
    folder = pathlib.Path(stiction.__file__).parent
    stub = (folder / "_stiction.pyi").read_text()
    assert (folder / "py.typed").exists()
    for name in ("class ContactProblem", "def judge", "def make_solver", "def read_fclib", "def from_inertia", "class Simulator",
                 "def add_body", "dt: float = 0.0", "def load_mjcf", "def save", "def assemble"):
        assert name in stub


def test_everything_public_is_documented():
    for name in ("solve", "residuals", "make_problem", "judge", "make_solver", "read_fclib", "contact_energy",
                 "ModelBuilder", "Model", "Simulator", "State", "StepReport", "inertia_matrix", "load_mjcf", "load", "load_urdf", "load_sdf", "save", "write_mjcf", "write_urdf",
                 "write_sdf", "assemble", "assembled", "assembly_error"):
        assert getattr(stiction, name).__doc__


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
