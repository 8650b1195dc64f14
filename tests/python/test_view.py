"""Recordings as pages: what Python gives, and what a browser shows of it beside what the recording says.

The browser's part is skipped where node, its packages (npm ci --prefix viewer) or Chromium are missing.
"""

import json
import math
import shutil
import subprocess

import numpy as np
import pytest

import stiction
from conftest import ROOT

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
COLORS = {"open": "#8b95a1", "sticking": "#2f7fe0", "sliding": "#f08a1d"}


CORNERS = np.array([[-0.1, -0.08, -0.06], [0.12, -0.05, -0.06], [0.0, 0.1, -0.06], [0.01, 0.0, 0.12]])  # of a tetrahedron
HEIGHTS = np.array([[0.0, 0.02, 0.05, 0.01], [0.03, 0.08, 0.02, 0.0], [0.0, 0.01, 0.06, 0.04]])


def pile():
    """One of every shape, thrown along the ground: some slide, some roll, some come to rest. Terrain beside them."""
    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane(), name="ground", friction=0.5)
    shapes = [
        stiction.Box([0.1, 0.15, 0.1]), stiction.Sphere(0.1), stiction.Capsule(0.07, 0.1), stiction.Cylinder(0.1, 0.08),
        stiction.Ellipsoid([0.1, 0.08, 0.06]), stiction.Box([0.2, 0.05, 0.05]),
    ]
    for i, geometry in enumerate(shapes):
        body = builder.add_body(name=f"thing {i}", position=(0.45 * (i % 3), 0.45 * (i // 3), 0.2 + 0.01 * i),
                                orientation=(0.0, 0.0, math.sin(0.2 * i), math.cos(0.2 * i)))
        # The last has a direction of its own, to which its contact frames are turned.
        builder.add_shape(body, geometry, density=500, friction=0.3 + 0.1 * i, friction_2=0.2 if i == 5 else -1.0)
    body = builder.add_body(name="thing 6", position=(0.45, 0.9, 0.2), orientation=(0.0, 0.0, math.sin(0.3), math.cos(0.3)))
    builder.add_shape(body, stiction.ConvexHull(CORNERS), name="hull", density=500, friction=0.5)
    builder.add_shape(stiction.HeightField(HEIGHTS, 0.1, 0.15), name="terrain", position=(-1.0, 0.4, 0.02))
    builder.add_shape(stiction.TriangleMesh(CORNERS + [0, 0, 0.1], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]), name="rock",
                      position=(-1.0, 1.2, 0.0))  # fmt: skip
    return builder.build()


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    simulator = stiction.Simulator(pile(), dt=2e-3, geometric_tolerance=1e-7)  # not every step keeps this
    v = np.zeros(simulator.model.num_velocities)
    v[0::6] = 1.0
    simulator.set_velocity(v)
    path = tmp_path_factory.mktemp("view") / "pile.h5"
    with stiction.record(simulator, path) as writer:
        writer.step(300)
    return stiction.Recording(path)


def test_pages_are_saved_and_shown(recording, tmp_path):
    path = tmp_path / "pile.html"
    assert recording.save_page(path) == str(path)
    page = recording.show(height=500)
    assert page.html == path.read_text()
    frame = page._repr_html_()
    assert frame.startswith("<iframe") and "height:500px" in frame
    text = frame[frame.index('srcdoc="') + 8 : frame.rindex('"></iframe>')]
    assert '"' not in text and text.replace("&quot;", '"').replace("&amp;", "&") == page.html
    assert "RecordingPage" in repr(page)
    assert len(recording.show(every=10).html) < len(page.html)


def test_progress_is_told(recording, tmp_path, capsys):
    told = []
    recording.save_page(tmp_path / "pile.html", progress=lambda done, of: told.append((done, of)))
    assert told == sorted(told) and told[-1] == (100, 100) and {of for _, of in told} == {100}
    recording.save_page(tmp_path / "quiet.html")
    assert capsys.readouterr().err == ""
    assert (tmp_path / "quiet.html").read_text() == (tmp_path / "pile.html").read_text()
    with pytest.raises(ZeroDivisionError):
        recording.save_page(tmp_path / "none.html", progress=lambda done, of: 1 / 0)
    assert not (tmp_path / "none.html").exists()


def test_steps_tell_their_progress(capsys):
    quiet, loud, told = stiction.Simulator(pile()), stiction.Simulator(pile()), []
    quiet.step(50)
    loud.step(50, progress=lambda done, of: told.append((done, of)))
    assert told[0] == (0, 50) and told[-1] == (50, 50) and told == sorted(told)
    assert np.array_equal(quiet.q, loud.q) and capsys.readouterr().err == ""
    with pytest.raises(TypeError, match="progress is 3"):
        loud.step(2, progress=3)
    assert np.array_equal(quiet.q, loud.q)


def test_bad_places_and_arguments(recording, tmp_path):
    with pytest.raises((ValueError, RuntimeError), match="missing"):
        recording.save_page(tmp_path / "missing" / "page.html")
    with pytest.raises(ValueError, match="every"):
        recording.show(every=0)


def test_a_heap_of_a_hundred_boxes_takes_two_and_a_half_megabytes(tmp_path):
    """100 boxes, 240 frames, 200 contacts on average, all tumbling: the page and its program together."""
    rng = np.random.default_rng(1)
    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane(), friction=0.6)
    for k in range(100):
        place = np.array([k % 5 - 2, k // 5 % 5 - 2, 0]) * 0.24 + rng.uniform(-0.01, 0.01, 3) + [0, 0, 0.35 + 0.2 * (k // 25)]
        turn = rng.normal(size=4) * [0.1, 0.1, 0.3, 0] + [0, 0, 0, 1]
        body = builder.add_body(position=place, orientation=turn / np.linalg.norm(turn))
        builder.add_shape(body, stiction.Box(rng.uniform(0.04, 0.08, 3)), density=500, friction=0.6)
    simulator = stiction.Simulator(builder.build(), dt=1 / 240)
    with stiction.record(simulator, tmp_path / "boxes.h5") as writer:
        writer.step(240)
    recording = stiction.Recording(tmp_path / "boxes.h5")
    contacts = sum(r.num_contacts for r in recording.reports())
    size = len(recording.show().html)
    print(contacts / 240, "contacts,", size, "bytes")
    assert contacts > 190 * 240  # which of them there are is a matter of chance
    assert size <= 2.5e6 * max(1.0, contacts / (200 * 240))


def test_a_recording_without_contacts_has_a_page(tmp_path):
    simulator = stiction.Simulator(pile())
    with stiction.record(simulator, tmp_path / "run.h5", contacts=False) as writer:
        writer.step(5)
    assert stiction.Recording(tmp_path / "run.h5").show().html


@pytest.fixture(scope="module")
def shown(recording, tmp_path_factory):
    if shutil.which("node") is None or not (ROOT / "viewer" / "node_modules" / "playwright-core").is_dir():
        pytest.skip("node or its packages are missing: npm ci --prefix viewer")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    folder = tmp_path_factory.mktemp("pages")
    recording.save_page(folder / "pile.html", title="A pile <of> things")
    (folder / "notebook.html").write_text("<!doctype html><meta charset=utf-8>" + recording.show()._repr_html_())
    page = (folder / "pile.html").read_text()
    (folder / "cut.html").write_text(page[: len(page) // 2])
    steps = [0, 60, 100, 63, 64, 299, 150]
    result = subprocess.run(
        ["node", ROOT / "tests" / "viewer" / "browser.mjs", folder / "pile.html", CHROMIUM, ",".join(map(str, steps)),
         folder / "notebook.html", folder / "cut.html"],
        capture_output=True, text=True, timeout=500,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_the_page_loads_without_errors_and_without_network(shown):
    assert shown["console"] == []
    assert [url for url in shown["requests"] if not url.startswith(("file:", "data:", "blob:"))] == []
    assert len([url for url in shown["requests"] if url.startswith("file:")]) == 5  # the page itself, in every tab
    assert "certified" in shown["notebook"]
    assert shown["model"]["title"] == "A pile <of> things"


def close(found, wanted, digits, floor=0.0):
    return np.allclose(found, wanted, rtol=10.0**-digits, atol=floor)


def test_contacts_are_those_of_the_recording(shown, recording):
    regimes, dt = set(), recording.settings["time_step"]
    for step in shown["steps"]:
        contacts = recording.contacts(step["index"])
        assert len(step["contacts"]) == len(contacts)
        for found, contact in zip(step["contacts"], contacts):
            regimes.add(found["regime"])
            assert found["regime"] == contact.regime.name
            assert found["shapes"] == [contact.shape_a, contact.shape_b]
            assert found["friction"] == pytest.approx(contact.friction, rel=1e-7)
            force = np.linalg.norm(contact.force)
            assert np.allclose(found["force"], contact.force, rtol=0, atol=1e-5 * force + 1e-9)
            assert close(found["forceInFrame"], contact.impulse / dt, 5, 1e-9)
            assert close(found["position"], contact.position, 6, 1e-9)
            assert close(found["normal"], contact.frame[:, 2], 5, 1e-9)
            assert close(found["velocity"], contact.velocity, 3.3, 1e-9)
            assert close(found["gap"], contact.gap, 3.3, 1e-10)
    assert {"sticking", "sliding"} <= regimes


def test_what_is_drawn_is_what_the_recording_says(shown, recording):
    """Arrow lengths in N and cone angles, read out of the matrices that are drawn."""
    arrows = cones = 0
    threshold = 1e-3 * shown["model"]["typical_force"]
    for step in shown["steps"]:
        for found, contact in zip(step["contacts"], recording.contacts(step["index"])):
            force = np.linalg.norm(contact.force)
            drawn = found["shown"]
            if force <= threshold * 1.0001:
                continue
            arrows += 1
            assert drawn["arrowLength"] == pytest.approx(force, rel=1e-5)
            cones += 1
            assert drawn["coneAngle"] == pytest.approx(math.atan(contact.friction), rel=1e-5)
            assert drawn["color"] == COLORS[contact.regime.name]
    assert arrows > 20 and cones > 20


def test_bodies_and_reports_are_those_of_the_recording(shown, recording):
    q, reports = recording.positions(), recording.reports()
    for step in shown["steps"]:
        for body, found in enumerate(step["bodies"]):
            wanted = q[step["index"], 7 * body : 7 * body + 7]
            assert np.allclose(found[:3], wanted[:3], rtol=1e-6, atol=1e-9)
            assert abs(abs(np.dot(found[3:7], wanted[3:])) - 1.0) < 1e-6
            v = recording.velocities()[step["index"], 6 * body : 6 * body + 3]
            assert np.allclose(found[7:10], v, rtol=3e-4, atol=1e-6)
    steps = shown["model"]["steps"]
    assert np.array_equal(steps["time"], [float(t) for t in steps["time"]])
    assert np.allclose(steps["time"], recording.times(), rtol=1e-13, atol=0)
    assert steps["step"] == recording.step_numbers()
    for name in ("kinetic_energy", "potential_energy", "largest_penetration", "num_sticking", "num_sliding", "num_open",
                 "dissipated", "unforeseen_penetration", "largest_gap_error", "worst_contact", "iterations"):
        assert np.allclose(steps[name], [getattr(r, name) for r in reports], rtol=1e-6, atol=1e-40), name
    assert np.allclose(steps["eps_nat"], [r.residuals.eps_nat for r in reports], rtol=1e-6, atol=1e-40)
    assert np.allclose(steps["dissipated_so_far"], np.cumsum([r.dissipated for r in reports]), rtol=1e-6, atol=1e-12)
    certified = [r.law_certified and r.geometry_certified and r.energy_certified for r in reports]
    shown_certified = np.array(steps["law_certified"]) * steps["geometry_certified"] * steps["energy_certified"]
    assert np.array_equal(shown_certified, certified)
    assert 10 < sum(certified) < 290
    assert shown["firstBad"] == certified.index(False) and "not certified: geometry" in shown["badChip"]


def test_keys_playing_and_seeking(shown):
    end = shown["model"]["num_frames"] - 1
    assert (shown["home"], shown["eleven"], shown["ten"], shown["end"]) == (0, 11, 10, end)
    assert shown["help"] and not shown["helpAfter"]
    assert shown["played"] > 0 and not shown["playing"]
    assert len(shown["seeks"]) == 60


def test_any_step_is_one_block_away(shown):
    """Forth and back: what is not unpacked yet is one block, never those before it."""
    unpacked = [seek["unpacked"] for seek in shown["seeks"]]
    assert max(unpacked) == 1 and sum(unpacked) > 2
    assert shown["seeks"][0]["from"] == 0 and unpacked[0] == 1  # from the first step to the middle
    assert any(seek["to"] < seek["from"] and seek["unpacked"] == 1 for seek in shown["seeks"])


def test_hulls_and_terrain_are_drawn_where_they_are(shown, recording):
    drawn = {surface["kind"]: surface for surface in shown["surfaces"]}
    assert set(drawn) == {"convex_hull", "height_field", "triangle_mesh"} and len(shown["surfaces"]) == 3
    x, y, z, w = recording.positions()[shown["steps"][-1]["index"], 45:49]
    turn = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])  # fmt: skip
    hull = CORNERS @ turn.T + recording.positions()[shown["steps"][-1]["index"], 42:45]
    places = {"convex_hull": hull, "triangle_mesh": CORNERS + [-1.0, 1.2, 0.1]}
    for kind, points in places.items():
        assert drawn[kind]["triangles"] == 4
        assert np.allclose(drawn[kind]["lower"], points.min(axis=0), atol=1e-5), kind
        assert np.allclose(drawn[kind]["upper"], points.max(axis=0), atol=1e-5), kind
    # The grid is centred; what is drawn below it (sides of the solid) does not count.
    terrain = drawn["height_field"]
    assert terrain["triangles"] >= 12
    assert np.allclose(terrain["lower"][:2], [-1.15, 0.25], atol=1e-5) and np.allclose(terrain["upper"], [-0.85, 0.55, 0.1], atol=1e-5)


def test_a_click_picks_what_is_under_it(shown):
    hits = [pick for pick in shown["picks"] if pick["picked"] == pick["body"]]
    assert len(hits) == 6, shown["picks"]
    for pick in hits:
        assert pick["title"] == f"thing {pick['body']}" and "kg" in pick["text"] and "rad/s" in pick["text"]
    assert shown["nothing"] == {"body": -1, "contact": -1}
    assert shown["tapped"]["body"] == 0
    assert shown["pickedContact"]["contact"] >= 0
    assert np.allclose(shown["followed"], shown["bodyMoved"], atol=1e-6) and np.linalg.norm(shown["bodyMoved"]) > 0.01
    assert shown["shapesBefore"] == shown["shapesAfter"]
    assert "pressing" in shown["contactText"] and "of its limit" in shown["contactText"]


def test_light_dark_pictures_films_and_no_webgl(shown):
    assert shown["lightSky"] != shown["darkSky"] and shown["switched"] == "light"
    assert shown["png"].endswith(".png") and shown["film"].endswith(".webm") and shown["filmBytes"] > 1000
    assert "WebGL" in shown["noWebGL"] and "another browser" in shown["noWebGL"]
    assert "cut short" in shown["cut"] and "stiction view" in shown["cut"]
    assert shown["noWebGLEnd"] == shown["model"]["num_frames"] - 1
