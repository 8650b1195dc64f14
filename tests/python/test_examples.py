"""The examples run to their end and show what they promise."""

import pathlib
import re
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def run(name, tmp_path, timeout=120):
    done = subprocess.run([sys.executable, EXAMPLES / name], cwd=tmp_path, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def row(lines, begins):
    return next(line for line in lines if line.split()[:1] == [begins]).split()


def test_heavy_on_light_stands(tmp_path):
    lines = run("heavy_on_light.py", tmp_path)
    steps, certified = row(lines, "auto")[1:3]
    assert steps == certified == "1000"
    assert int(row(lines, "ncp-pgs")[2]) < 1000


def test_inverse_dynamics_of_rigid_contact(tmp_path):
    lines = run("inverse_dynamics.py", tmp_path)
    assert "ncp: converged after 1 iterations" in lines
    assert any(line.startswith("ccp: unreachable") for line in lines)


def test_spinning_brick_keeps_its_energy(tmp_path):
    lines = run("spinning_brick.py", tmp_path)
    ours = [float(found[1]) for line in lines if (found := re.search(r"\) +\d ms +([\d.]+)", line))]
    assert len(ours) == 6
    assert all(abs(energy - 1) < 1e-9 for energy in ours)


def test_walking_follows_its_commands(tmp_path):
    lines = run("walking.py", tmp_path, timeout=600)
    if lines[0].startswith(("the walking controller needs", "the URDF of Solo-12 is not there")):
        pytest.skip(lines[0])
    for line in lines[1:3]:
        vx, vy, turn, *measured = map(float, line.split())
        assert abs(measured[0] - vx) < 0.04 and abs(measured[1] - vy) < 0.04 and abs(measured[2] - turn) < 0.05, line
