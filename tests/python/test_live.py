"""A simulator in the browser while it runs: what Python gives, and what a browser shows and does.

The browser's part is skipped where node, its packages (npm ci --prefix viewer) or Chromium are missing.
"""

import json
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

import numpy as np
import pytest

import stiction
from conftest import ROOT

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def boxes(**settings):
    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane(), name="ground", friction=0.5)
    for k in range(3):
        body = builder.add_body(name=f"box {k}", position=(0.5 * k - 0.5, 0.0, 0.15))
        builder.add_shape(body, stiction.Box([0.1, 0.1, 0.1]), density=500, friction=0.8)
    return stiction.Simulator(builder.build(), dt=2e-3, **settings)


def test_a_view_is_opened_and_closed():
    simulator = boxes()
    with simulator.view(title="boxes") as view:
        assert view.address.startswith("http://127.0.0.1:") and str(view.port) in view.address
        page = urllib.request.urlopen(view.address, timeout=20).read().decode()
        assert page.startswith("<!doctype html>") and 'id="live"' in page
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(view.address[:-1], timeout=20)
        assert view.address in view._repr_html_() and view.address in repr(view)
        assert not view.is_running and view.num_clients == 0 and view.failure == ""
        with pytest.raises(RuntimeError, match="already"):
            simulator.view()
    assert view.is_closed and "closed" in repr(view)
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(view.address, timeout=20)
    simulator.view().close()  # another one may follow


def test_own_steps_keep_their_bits():
    alone, looked_at = boxes(), boxes()
    alone.step(200)
    with looked_at.view():
        looked_at.step(100)
        for _ in range(100):
            looked_at.step()
    assert np.array_equal(alone.q, looked_at.q) and np.array_equal(alone.v, looked_at.v)


def test_it_runs_by_itself_while_python_does_something_else(tmp_path):
    simulator = boxes()
    with simulator.view(run=True, speed=float("inf"), record=tmp_path / "live.h5") as view:
        view.wait(0.2)
        deadline = time.monotonic() + 20
        while simulator.time < 0.1 and time.monotonic() < deadline:
            time.sleep(0.01)
    at = simulator.time
    assert at >= 0.1
    time.sleep(0.05)
    assert simulator.time == at
    assert view.recorded_files == [str(tmp_path / "live.h5")]
    recording = stiction.Recording(tmp_path / "live.h5")
    assert recording.times()[-1] == at


def test_threads_close_what_another_waits_for():
    view = boxes().view()
    timer = threading.Timer(0.2, view.close)
    timer.start()
    view.wait(30)
    timer.join()
    assert view.is_closed


def test_bad_arguments_say_what_is_wrong(tmp_path):
    simulator = boxes()
    with pytest.raises(ValueError, match="speed"):
        simulator.view(speed=-1)
    with pytest.raises(ValueError, match="port"):
        simulator.view(port=70000)
    with simulator.view() as view, pytest.raises(RuntimeError, match="in use|free one"):
        boxes().view(port=view.port)
    assert simulator.step().time > 0  # nothing is left behind


@pytest.fixture(scope="module")
def browser():
    if shutil.which("node") is None or not (ROOT / "viewer" / "node_modules" / "playwright-core").is_dir():
        pytest.skip("node or its packages are missing: npm ci --prefix viewer")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")

    def run(*arguments):
        result = subprocess.run(["node", ROOT / "tests" / "viewer" / arguments[0], *arguments[1:]],
                                capture_output=True, text=True, timeout=400)
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    return run


def test_a_browser_steers_it(browser):
    simulator = boxes()
    with simulator.view() as view:
        found = browser("live.mjs", view.address, CHROMIUM, "1")
        address = view.address
    assert found["console"] == []
    assert set(found["requests"]) == {address}
    assert found["start"]["step"] == 0 and found["firstChip"] == "not stepped yet"
    assert "real time of 1" in found["speedText"]
    assert found["paused"]["time"] > 0.3 and found["paused"] == found["stillPaused"]
    assert "certified" in found["chip"] and len(found["contacts"]) == 12
    # Four corners bear what three can: which of them are idle depends on the step at which it was paused.
    regimes = [contact["regime"] for contact in found["contacts"]]
    assert set(regimes) <= {"sticking", "open"} and regimes.count("sticking") >= 6
    assert found["stepped"]["step"] == found["paused"]["step"] + 1
    assert found["home"]["index"] == 0 and found["end"]["index"] == found["end"]["frames"] - 1
    assert found["other"] == found["stepped"]["step"] + 1
    # A box lifted by the mouse, the camera left alone.
    assert found["pulled"] == 1 and found["released"] == -1 and not found["cameraMoved"]
    assert found["after"][2] > found["before"][2] + 0.1
    times = found["timesOfChange"]
    assert found["stepped"]["time"] < times[0] < times[1] < times[2] and simulator.settings["solver"] == "ncp-gs"
    # The ground's 0.5 was set to 0.6, and all of them are halved.
    assert found["firstMaterial"] == "μ of ground"
    assert [shape.material.friction for shape in simulator.model.shapes] == [0.3, 0.4, 0.4, 0.4]
    assert found["reset"] == {"time": 0, "step": 0, "frames": 1, "index": 0, "playing": False}


def test_a_page_whose_simulation_was_killed_says_so_and_keeps_what_it_saw(browser, tmp_path):
    scene = tmp_path / "ball.urdf"
    scene.write_text("""<robot name="ball"><link name="ball"><inertial><mass value="1"/>
      <inertia ixx="0.004" iyy="0.004" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>""")
    command = [sys.executable, "-m", "stiction", "view", scene, "--base", "floating", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            address = json.loads(process.stdout.readline())["address"]
            found = browser("live_killed.mjs", address, CHROMIUM, str(process.pid))
        finally:
            process.kill()
    assert "ended, or the connection to it is lost" in found["said"] and "Start it again" in found["said"]
    assert not found["playing"] and found["frames"] > 1
    assert found["home"] == 0  # what was seen can be gone through
    assert found["errors"] == []


def test_an_exception_is_shown_in_the_page(browser):
    simulator = boxes()
    simulator.set_joint_force(np.full(simulator.model.num_velocities, 1e308))
    with simulator.view(run=True) as view:
        found = browser("live_failure.mjs", view.address, CHROMIUM)
        assert "not finite" in view.failure
    assert found["console"] == []
    assert "paused by an error" in found["failure"] and "not finite" in found["failure"]
    assert not found["playing"]
