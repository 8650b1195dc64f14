"""Comparisons of contact models: what Python gives, and what a browser shows of them.

The browser's part is skipped where node, its packages (npm ci --prefix viewer) or Chromium are missing.
"""

import json
import shutil
import subprocess

import numpy as np
import pytest

import stiction
from conftest import ROOT

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SOLVERS = ["auto", "ncp-gs", "ccp-admm", "lcp-lemke"]
STEPS = 90


def sliding_box():
    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane(), friction=0.4)
    box = builder.add_body(name="box", position=(0, 0, 0.04))
    builder.add_shape(box, stiction.Box([0.12, 0.12, 0.04]), mass=2.0, friction=0.4)
    return builder.build()


def sliding(model):
    simulator = stiction.Simulator(model, dt=0.01)
    v = np.zeros(model.num_velocities)
    v[:2] = 3 * np.cos(0.4), 3 * np.sin(0.4)
    simulator.set_velocity(v)
    return simulator.state


@pytest.fixture(scope="module")
def comparison():
    model = sliding_box()
    result = stiction.Comparison(model, SOLVERS, start=sliding(model), dt=0.01, title="A box <slides>")
    assert result.step(STEPS)
    return result


def test_runs_are_those_of_the_simulator(comparison):
    model = sliding_box()
    for k, run in enumerate(comparison.runs):
        simulator = stiction.Simulator(model, dt=0.01, solver=run.solver)
        simulator.set_state(sliding(model))
        simulator.step(STEPS)
        assert np.array_equal(simulator.q, comparison.state(k).q)
        assert run.steps == STEPS and run.failure == ""
    exact, same, lifts, bends = comparison.runs
    assert exact.certified_steps == STEPS and exact.parting_step == -1 and exact.energy_gain == 0
    assert same.parting_step == -1 and same.largest_distance < 1e-6
    fall = 9.81 * 0.01  # closed form of the first step: (mu v + g dt)/(1 + mu^2) - g dt
    assert lifts.residuals.normal_separation == pytest.approx((0.4 * 3 + fall) / 1.16 - fall, abs=1e-3)
    assert bends.largest_distance > 0.2 and bends.residuals.coulomb > 5e-3 and bends.residuals.normal_separation < 1e-8


def test_history_and_text(comparison):
    for k, run in enumerate(comparison.runs):
        history = comparison.history(k)
        assert all(len(column) == STEPS for column in history.values())
        assert np.allclose(history["time"], 0.01 * np.arange(1, STEPS + 1))
        assert history["distance"].max() == run.largest_distance
        assert history["separation"].max() == run.residuals.normal_separation
        parted = np.nonzero(history["distance"] > comparison.parting_distance)[0]
        assert run.parting_step == (parted[0] if len(parted) else -1)
    lines = str(comparison).splitlines()
    assert [line.split()[0] for line in lines[3:]] == SOLVERS
    assert str(comparison) == comparison.to_text() and "Comparison(4 runs, 90 steps)" == repr(comparison)
    with pytest.raises(ValueError, match="run is 4; there are 4"):
        comparison.history(4)


def test_one_call_from_a_file(tmp_path):
    result = stiction.compare(ROOT / "scenes" / "compare" / "gripper.xml", keyframe="grip", steps=40, models="all")
    assert [run.solver for run in result.runs] == stiction.solver_of_each_model()
    page = result.save_page(tmp_path / "gripper.html")
    assert '"title":"gripper"' in (tmp_path / "gripper.html").read_text() and page == str(tmp_path / "gripper.html")
    held = stiction.compare(sliding_box(), solvers="ccp-newton", reference="ncp-gs", models=["ncp", "lcp"], time=0.05, dt=0.01, every=0)
    assert [run.solver for run in held.runs] == ["ncp-gs", "ccp-newton", "lcp-lemke"] and held.runs[0].steps == 5
    with pytest.raises(ValueError, match="every=0"):
        held.save_page(tmp_path / "none.html")


def test_progress_is_told_and_changes_nothing(capsys):
    model, told = sliding_box(), []
    quiet = stiction.compare(model, solvers="ccp-newton", steps=250, every=0)
    assert capsys.readouterr().err == ""
    loud = stiction.compare(model, solvers="ccp-newton", steps=250, every=0, progress=lambda done, of: told.append((done, of)))
    assert told[0] == (0, 250) and told[-1] == (250, 250) and len(told) > 50
    assert told == sorted(told) and {of for _, of in told} == {250}
    for one, other in zip(quiet.runs, loud.runs):
        assert (one.solver, one.steps, one.largest_distance) == (other.solver, other.steps, other.largest_distance)
        assert one.energy_error == other.energy_error
    with pytest.raises(TypeError, match="progress is 3"):
        stiction.compare(model, steps=1, progress=3)


def test_what_is_refused(tmp_path):
    model = sliding_box()
    for part, arguments in (
        ("'cpp' is no contact model", {"models": "cpp"}), ("nothing to compare", {"solvers": "auto"}),
        ("time is -1", {"time": -1}), ("steps is 0", {"steps": 0}), ("parting_distance is 0", {"parting_distance": 0}),
        ("no solver is called 'x'", {"solvers": ["x"]}),
    ):
        with pytest.raises(ValueError, match=part):
            stiction.compare(model, **arguments)
    with pytest.raises(TypeError, match="solvers"):
        stiction.compare(model, solver="auto")
    with pytest.raises(TypeError, match="solver"):
        stiction.Comparison(model, ["auto", "ccp-admm"], solver="auto")
    with pytest.raises(ValueError, match="named twice"):
        stiction.Comparison(model, ["auto", "auto"])
    with pytest.raises(ValueError, match="no step"):
        stiction.Comparison(model, ["auto", "ccp-admm"]).save_page(tmp_path / "empty.html")
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_fails_does_not_stop_the_others():
    robot = stiction.load(ROOT / "scenes" / "quadruped.xml").model
    result = stiction.Comparison(robot, ["auto", "lcp-dantzig"], dt=2e-3)
    result.set_control(np.full(robot.num_actuators, 0.1))
    assert result.step(20)
    assert np.array_equal(result.state(0).control, result.state(1).control) and result.state(1).control[0] == 0.1


@pytest.fixture(scope="module")
def shown(comparison, tmp_path_factory):
    if shutil.which("node") is None or not (ROOT / "viewer" / "node_modules" / "playwright-core").is_dir():
        pytest.skip("node or its packages are missing: npm ci --prefix viewer")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    page = tmp_path_factory.mktemp("compare") / "boxes.html"
    comparison.save_page(page)
    done = subprocess.run(["node", ROOT / "tests" / "viewer" / "compare_browser.mjs", page, CHROMIUM],
                          capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_page_loads_without_errors_and_without_network(shown):
    assert shown["console"] == []
    assert [url for url in shown["requests"] if not url.startswith(("file:", "data:", "blob:"))] == []
    assert len([url for url in shown["requests"] if url.startswith("file:")]) == 4  # the page itself, in every tab
    assert shown["title"] == "A box <slides>"
    assert shown["lightSky"] != shown["darkSky"] and shown["switched"] == "light"
    assert shown["png"].endswith(".png") and shown["phonePanels"] == 4
    assert "WebGL" in shown["noWebGL"] and shown["noWebGLEnd"] == STEPS - 1


def test_the_page_has_the_numbers_of_the_runs(shown, comparison):
    for k, run in enumerate(comparison.runs):
        history, page, info = comparison.history(k), shown["runs"][k], shown["comparison"]["runs"][k]
        assert page["numFrames"] == STEPS
        assert np.allclose(page["time"], history["time"], rtol=1e-13)
        assert np.allclose(page["distance"], history["distance"], rtol=1e-6, atol=1e-12)
        assert np.allclose(page["eps"], history["eps_nat"], rtol=1e-6, atol=1e-40)
        assert sum(page["certified"]) == run.certified_steps
        assert info["solver"] == run.solver and info["parting_frame"] == run.parting_step
        assert info["coulomb"] == pytest.approx(run.residuals.coulomb)
        assert run.solver in shown["table"]


def test_time_is_linked(shown, comparison):
    for at in ("start", "middle", "quarter", "last", "played"):
        frame = shown[at]
        for k in range(len(SOLVERS)):
            apart = np.linalg.norm(np.subtract(frame["bodies"][k][0], frame["bodies"][0][0]))
            assert apart == pytest.approx(comparison.history(k)["distance"][frame["index"]], rel=1e-3, abs=1e-6)
        assert len(set(frame["heads"])) == 1  # one clock
    assert shown["start"]["index"] == 0 and shown["last"]["index"] == shown["end"] == STEPS - 1
    assert shown["quarter"]["index"] == pytest.approx(STEPS / 4, abs=2)
    assert shown["played"]["index"] > 0 and not shown["playing"]
    assert shown["last"]["bodies"][3] != shown["middle"]["bodies"][3]


def test_partings_are_marked(shown, comparison):
    wanted = [[str(k), run.parting_step] for k, run in enumerate(comparison.runs) if run.parting_step >= 0]
    assert [entry[0] for entry in wanted] == ["2", "3"]
    assert shown["partings"] == wanted and shown["parting"] == min(step for _, step in wanted)
    assert shown["last"]["parted"] == [False, False, True, True]
    assert shown["last"]["ghosts"] == [None, False, shown["last"]["ghosts"][2], True]
    assert shown["noGhosts"] == [None, False, False, False]
    assert "keeps the law" in shown["start"]["states"][0] and "breaks the law" in shown["start"]["states"][2]
    assert "mm from auto" in shown["last"]["away"][3]


def test_the_camera_is_linked(shown):
    assert np.linalg.norm(np.subtract(shown["cameraBefore"], shown["cameraAfter"])) > 0.1
    assert all(before != after for before, after in zip(shown["pixelsBefore"], shown["pixelsAfter"]))
    assert np.allclose(shown["places"], shown["places"][0], atol=1)
    assert shown["alone"] == 1 and shown["all"] == 4 and shown["help"] and not shown["tableAfter"]
