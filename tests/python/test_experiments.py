"""The frame of `stiction experiment`, and the quick form of experiments that take seconds."""

import csv
import os
import pathlib
import subprocess
import sys

import pytest

import stiction
from stiction.experiments import Experiment, Run, experiments, find
from stiction.experiments import __main__ as frame
from stiction.experiments import registry

matplotlib = pytest.importorskip("matplotlib")

OURS = {
    "slide-direction", "slide-energy", "drag", "mass-ratio", "compliance", "step-size", "tolerance", "robot-timing", "wall-convergence",
    "fclib", "inverse-dynamics", "engines", "ramp", "joint-friction", "granular", "engine-block", "mpc-flat", "mpc-bumpy",
    "kapla", "666", "rolling", "bouncing", "elastic-666", "anymal-momentum", "anymal-energy",
}  # fmt: skip


def fake(monkeypatch, run, name="fake", extras=()):
    """The only experiment there is, for tests of the frame."""
    experiment = Experiment(name, "a title", "a source", "a claim", run, extras)
    monkeypatch.setattr(frame, "experiments", lambda: {name: experiment})
    monkeypatch.setattr(registry, "experiments", lambda: {name: experiment})
    return experiment


def test_all_are_found_and_described():
    found = experiments()
    assert OURS <= set(found)
    for name, experiment in found.items():
        assert experiment.name == name and experiment.title and experiment.source and experiment.claim


def test_list_names_all(capsys):
    assert frame.main(["list"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in OURS)


def test_unknown_names_say_which_are_near(capsys, tmp_path):
    assert frame.main(["slide-directoin", "--output", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert "no experiment 'slide-directoin'" in err and "slide-direction" in err
    with pytest.raises(ValueError, match="'list' names all"):
        find("qqqqqqqq")
    assert not list(tmp_path.iterdir())


def test_missing_packages_say_what_to_install(monkeypatch, capsys, tmp_path):
    fake(monkeypatch, lambda run: None, extras=("no_such_package_at_all",))
    assert frame.main(["fake", "-o", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert "no_such_package_at_all" in err and "pip install 'stiction[experiments]'" in err


def test_verdict_and_exit_code(monkeypatch, capsys, tmp_path):
    value = {"x": 1.0}

    def run(run):
        assert run.folder == tmp_path / "fake" and run.folder.is_dir()
        run.check("a figure", value["x"], at_most=2.0, paper="1.5")
        run.csv("numbers", ["a", "b"], [[1, 2], [3, 4]])
        with run.figure("picture") as figure:
            figure.subplots().plot([0, 1])

    fake(monkeypatch, run)
    assert frame.main(["fake", "-o", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "pass  a figure: 1, wanted <= 2  (paper: 1.5)" in out and "PASS" in out and "FAIL" not in out
    assert (tmp_path / "fake/picture.png").read_bytes()[:4] == b"\x89PNG"
    assert list(csv.reader(open(tmp_path / "fake/numbers.csv"))) == [["a", "b"], ["1", "2"], ["3", "4"]]
    for bad in (3.0, float("nan"), float("inf")):
        value["x"] = bad
        assert frame.main(["all", "-o", str(tmp_path)]) == 1
        assert "FAIL  a figure" in capsys.readouterr().out


def test_a_reader_that_goes_is_no_crash():
    done = subprocess.run(
        f"'{sys.executable}' -m stiction.experiments list | head -n 1", shell=True, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("666") and "Traceback" not in done.stderr


def test_an_experiment_without_checks_is_no_pass(monkeypatch, capsys, tmp_path):
    fake(monkeypatch, lambda run: None)
    assert frame.main(["fake", "-o", str(tmp_path)]) == 1
    assert "FAIL" in capsys.readouterr().out


def test_an_error_fails_one_experiment_and_not_the_others(monkeypatch, capsys, tmp_path):
    def broken(run):
        run.check("before", 1.0, at_most=2.0)
        raise RuntimeError("no robot")

    def sound(run):
        run.check("one", 1.0, at_most=2.0)

    both = {name: Experiment(name, "title", "nowhere", "nothing", call) for name, call in (("broken", broken), ("sound", sound))}
    monkeypatch.setattr(frame, "experiments", lambda: both)
    assert frame.main(["all", "--output", str(tmp_path)]) == frame.EXIT_FAIL
    printed = capsys.readouterr()
    assert "ended early: RuntimeError: no robot" in printed.out and "RuntimeError" in printed.err
    assert "1 of 2 reproduced; FAIL: broken" in printed.out


def test_what_cannot_run_is_told_and_the_others_run(monkeypatch, capsys, tmp_path):
    def no_file(run):
        run.check("before", 1.0, at_most=2.0)
        raise FileNotFoundError(2, "no such robot: pip install it", "solo12.urdf")

    def no_package(run):
        import no_such_package_at_all  # noqa: F401

    def sound(run):
        run.check("one", 1.0, at_most=2.0)

    calls = (("a", no_file, ()), ("b", no_package, ()), ("c", sound, ("no_such_extra",)), ("d", sound, ()))
    several = {name: Experiment(name, "title", "nowhere", "nothing", call, extras) for name, call, extras in calls}
    monkeypatch.setattr(frame, "experiments", lambda: several)
    assert frame.main(["all", "--output", str(tmp_path)]) == frame.EXIT_USAGE
    printed = capsys.readouterr()
    assert "error: a: solo12.urdf: no such robot: pip install it" in printed.err
    assert "No module named 'no_such_package_at_all'" in printed.err
    assert "error: c: no_such_extra missing; install the extra: pip install 'stiction[experiments]'" in printed.err
    assert "1 of 4 reproduced; FAIL: a, b, c" in printed.out
    summary = printed.out[printed.out.index("1 of 4") :]
    assert all(word in summary for word in ("a did not run: solo12.urdf", "b did not run", "c did not run: no_such_extra missing"))
    assert "pass  before" in printed.out


def test_without_a_comparison_there_is_no_pass(monkeypatch, capsys, tmp_path):
    def alone(run):
        run.check("one", 1.0, at_most=2.0)
        run.not_compared = "no peer is installed"

    fake(monkeypatch, alone)
    assert frame.main(["fake", "--output", str(tmp_path)]) == frame.EXIT_FAIL
    printed = capsys.readouterr().out
    assert "NOT COMPARED (no peer is installed)" in printed and "PASS" not in printed


def test_checks_ask_for_something(tmp_path):
    run = Run("x", tmp_path)
    with pytest.raises(ValueError, match="asks for nothing"):
        run.check("nothing", 1.0)
    assert run.check("both", 1.0, at_least=1.0, at_most=1.0) and not run.check("near", 1.2, near=(1.0, 0.1))


@pytest.mark.parametrize("place", ["file", "/proc/no"])
def test_folders_that_cannot_be_written(place, monkeypatch, capsys, tmp_path):
    fake(monkeypatch, lambda run: None)
    folder = pathlib.Path(place)
    if place == "file":
        folder = tmp_path / "file"
        folder.write_text("in the way")
    assert frame.main(["fake", "-o", str(folder)]) == 2
    assert str(folder) in capsys.readouterr().err


def test_files_that_cannot_be_written(monkeypatch, capsys, tmp_path):
    (tmp_path / "fake" / "numbers.csv").mkdir(parents=True)
    fake(monkeypatch, lambda run: run.csv("numbers", ["a"], []))
    assert frame.main(["fake", "-o", str(tmp_path)]) == 2
    assert "numbers.csv" in capsys.readouterr().err


#: Checks that fail in the quick form, by how they begin; docs/experiments.md says what is at fault. All others pass.
KNOWN_FAILURES = {
    "engine-block": ["contacts of a problem"],
    "granular": ["max-dissipation: part of the time"],
    "fclib": ["the same over the fewest of a linear rule"],
    "mpc-bumpy": ["raisim: the same"],
    "tolerance": ["ncp-pgs at 0.01", "ccp-pgs: worse than ncp-pgs"],
}  # fmt: skip
#: Trainings and recorded data, which are no quick form yet.
NOT_QUICK = {name for name in experiments() if name.startswith("learn-") or name.endswith("-toss")}


@pytest.mark.parametrize("name", sorted(set(experiments()) - NOT_QUICK))
def test_quick_forms(name, capsys, tmp_path):
    """Each comes to its end with the verdict that is written down, but for what clocks say."""
    run = Run(name, tmp_path / name, quick=True)
    frame._run(find(name), run)
    printed = capsys.readouterr()
    if run.could_not_run and ("missing" in run.could_not_run or "example-robot-data" in run.could_not_run):
        pytest.skip(run.could_not_run)
    assert not run.could_not_run and not run.has_failed, printed.out + printed.err
    failed = [check.what for check in run.checks if not check.passed and not check.timed]
    known = KNOWN_FAILURES.get(name, [])
    assert [what for what in failed if not what.startswith(tuple(known))] == [], printed.out
    assert [what for what in known if not any(f.startswith(what) for f in failed)] == [], printed.out
    assert run.checks or run.not_compared
    assert list(run.folder.glob("*.csv")) and list(run.folder.glob("*.png"))


def test_engines_alone_is_no_pass(monkeypatch, tmp_path):
    from stiction.experiments import engines

    monkeypatch.setattr(engines, "has_mujoco", lambda: False)
    monkeypatch.setattr(engines.peers, "PEERS", {})
    monkeypatch.setattr(engines.worlds, "robots_folder", lambda: None)
    run = Run("engines", tmp_path, quick=True)
    engines.run(run)
    assert not run.passed and run.verdict.startswith("NOT COMPARED (no other simulator ran humanoid")


def test_a_wrong_product_fails(monkeypatch, capsys, tmp_path):
    """The check of slide-direction, were the pyramid a cone."""
    from stiction.experiments import slide_direction

    track = slide_direction.track
    monkeypatch.setattr(slide_direction, "track", lambda name: track("auto" if name.startswith("lcp") else name))
    assert frame.main(["slide-direction", "--quick", "-o", str(tmp_path)]) == 1
    assert "FAIL  least deviation of the LCP solvers" in capsys.readouterr().out


def run_command(*arguments, **environment):
    program = pathlib.Path(stiction.__file__).parent / "bin" / "stiction"
    if not program.exists():
        pytest.skip("the package has no command")
    return subprocess.run([program, "experiment", *arguments], capture_output=True, text=True, env={**os.environ, **environment})


def test_command_hands_over(tmp_path):
    listed = run_command("list", STICTION_PYTHON=sys.executable)
    assert listed.returncode == 0 and "slide-direction" in listed.stdout, listed.stderr
    unknown = run_command("drg", "-o", str(tmp_path), STICTION_PYTHON=sys.executable)
    assert unknown.returncode == 2 and "did you mean" in unknown.stderr


def test_command_without_python_says_what_to_install(tmp_path):
    done = run_command("list", STICTION_PYTHON="", PATH=str(tmp_path))
    assert done.returncode == 2 and "pip install 'stiction[experiments]'" in done.stderr
