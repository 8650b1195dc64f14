"""The scenes of the gallery do what their headers say: stand without drift, every step certified, at 1 and 5 ms; and fall where they must."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import stiction

FOLDER = Path(__file__).resolve().parents[2] / "scenes" / "gallery"
TIME_STEPS = [1e-3, 5e-3]

if not stiction.has_mjcf():
    pytest.skip("built without MuJoCo", allow_module_level=True)

spec = importlib.util.spec_from_file_location("gallery_generate", FOLDER / "generate.py")
generate = importlib.util.module_from_spec(spec)
spec.loader.exec_module(generate)


def load(name):
    return stiction.load(FOLDER / f"{name}.xml")


def simulator_of(model, keyframe=None, **settings):
    simulator = stiction.Simulator(model, sleeping=False, **settings)
    if keyframe:
        simulator.reset(keyframe)
    return simulator


def points(simulator, seen_from=None):
    """Of every body its origin and a point 5 cm along each of its axes; as seen from a body if one is named."""
    poses = [simulator.frame_pose(frame.name) for frame in simulator.model.frames]
    shown = np.array([[p.position, *(p.position + 0.05 * p.rotation.T)] for p in poses])
    if seen_from:
        eye = simulator.frame_pose(seen_from)
        shown = (shown - eye.position) @ eye.rotation
    return shown


def moved(a, b):
    return float(np.linalg.norm(a - b, axis=-1).max())


def changed(text, pattern, replacement):
    """The text with a pattern replaced that must be there."""
    result, count = re.subn(pattern, replacement, text)
    assert count > 0
    return result


# ------------------------------------------------------------------------------------------------------------------- files


def test_files_are_what_the_generator_writes(tmp_path):
    command = [sys.executable, FOLDER / "generate.py"]
    assert subprocess.run([*command, "--check"], capture_output=True, text=True).stderr == ""
    subprocess.run([*command, tmp_path], check=True)
    kapla = tmp_path / "kapla.xml"
    kapla.write_text(kapla.read_text().replace("0.0039", "0.004"))
    (tmp_path / "hand.xml").unlink()
    refused = subprocess.run([*command, "--check", tmp_path], capture_output=True, text=True)
    assert refused.returncode == 1 and refused.stderr.split(": ")[1].split() == ["kapla.xml,", "hand.xml"]


def test_every_scene_has_a_test_and_a_place_in_the_gallery():
    written = sorted(make.__name__ for make in generate.SCENES)
    assert sorted(path.stem for path in FOLDER.glob("*.xml")) == written
    assert sorted([*STANDING, *HELD, "turntable"]) == written
    page = (FOLDER.parents[1] / "docs" / "gallery.md").read_text(encoding="utf-8")
    listed = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    for name in written:
        assert f"scenes/gallery/{name}.xml" in page and f"images/gallery-{name}.png" in page
        assert f"`gallery/{name}.xml`" in listed


@pytest.mark.parametrize("make", generate.SCENES, ids=lambda make: make.__name__)
def test_loads_completely(make):
    assert [ignored for ignored in load(make.__name__).ignored if ignored.element != "camera"] == []


# ------------------------------------------------------------------------------------------------- what stands, stays there

# Steps to run: fewer where there are many bodies.
STANDING = {
    "house_of_cards": 400, "card_pyramid": 400, "arch_semicircle": 400, "arch_catenary": 400, "arch_flat": 400,
    "kapla": 100, "dominoes": 400,
}


@pytest.mark.parametrize("time_step", TIME_STEPS)
@pytest.mark.parametrize("name", STANDING)
def test_stands(name, time_step):
    simulator = simulator_of(load(name).model, dt=time_step)
    start = points(simulator)
    simulator.step()
    assert simulator.report.largest_penetration < 1e-8  # blocks begin just touching
    simulator.step(STANDING[name] // 2)
    settled = points(simulator)
    assert moved(settled, start) < 1e-7  # single precision of meshes
    simulator.step(STANDING[name] // 2)
    assert moved(points(simulator), settled) < 1e-9
    assert simulator.num_uncertified_steps == 0, simulator.report
    assert simulator.report.num_contacts > len(simulator.model.bodies)


def fallen(text, friction=None, steps=1000, time_step=2e-3):
    """How far a body of a scene goes within some seconds."""
    if friction is not None:
        text = changed(text, r'<geom friction="[\d.]+"', f'<geom friction="{friction}"')
    simulator = simulator_of(stiction.load_mjcf_string(text).model, dt=time_step)
    start = points(simulator)
    simulator.step(steps)
    return moved(points(simulator), start)


@pytest.mark.parametrize("make, needed", [
    (generate.house_of_cards, 0.24), (generate.card_pyramid, 0.22), (generate.arch_flat, 0.2), (generate.arch_catenary, 0.1)])
def test_falls_with_less_friction(make, needed):
    assert fallen(make().text(), friction=needed, steps=400) > 5e-3


def tent(friction):
    scene = generate.Scene("tent", "", friction, 1080, generate.look((1, -2, 1), (0, 0, 0)))
    generate.Cards(scene, 0.063, 0.088, 0.0003).add_tent("card", 0, 0, 0, False, ("1 1 1 1", "1 1 1 1"))
    return scene.text()


def test_two_cards_stand_by_friction():
    """Moments about a foot: the thrust is tan(lean)/2 - t/(2 L) of a card's weight, and that much friction the feet need. Where the cards meet, edge on edge,
    the normal may be the face of one of them: friction of tan(lean) is enough for any."""
    lean = np.tan(generate.LEAN)
    assert fallen(tent(0.97 * (lean / 2 - 0.0003 / 0.126)), steps=200) > 5e-4
    assert fallen(tent(1.02 * lean), steps=200) < 1e-9


def arch(thickness):
    scene = generate.Scene("arch", "", 0.7, 2400, generate.look((1, -2, 1), (0, 0, 0)))
    polygons, depth = generate.semicircle(31, thickness, 0.5)
    for k, polygon in enumerate(polygons):
        scene.add_prism(f"stone{k}", polygon, depth, "1 1 1 1")
    return scene.text()


def test_round_arch_falls_when_it_is_thinner_than_milankovitch_says():
    assert fallen(arch(0.1025)) > 1e-2
    assert fallen(arch(0.1125), steps=200) < 1e-7


def test_dominoes_fall_in_order():
    simulator = simulator_of(load("dominoes").model, "push", dt=1e-3)
    names = [frame.name for frame in simulator.model.frames]
    fell = {}
    for k in range(300):
        simulator.step(5)
        for name in names:
            if name not in fell and simulator.frame_pose(name).rotation[2, 2] < np.cos(np.radians(20)):
                fell[name] = k
        if len(fell) == len(names):
            break
    assert list(fell) == sorted(names)


# ---------------------------------------------------------------------------------------------------- what is held, and carried

HELD = {"gripper": ("carriage", [f"block{k}" for k in range(5)]), "hand": ("palm", ["can"])}


@pytest.mark.parametrize("time_step", TIME_STEPS)
@pytest.mark.parametrize("name", HELD)
def test_holds(name, time_step):
    simulator = simulator_of(load(name).model, "hold", dt=time_step)
    simulator.step(round(2.0 / time_step))
    settled = points(simulator)
    simulator.step(round(1.0 / time_step))
    assert moved(points(simulator), settled) < 1e-9
    assert simulator.num_uncertified_steps == 0, simulator.report


@pytest.mark.parametrize("name", HELD)
def test_lifts(name):
    by, things = HELD[name]
    simulator = simulator_of(load(name).model, "lift", dt=5e-3)
    before = {thing: simulator.frame_pose(thing).position[2] for thing in [by, *things]}
    simulator.step(600)
    for thing in [by, *things]:
        assert simulator.frame_pose(thing).position[2] - before[thing] == pytest.approx(0.1, abs=6e-3), thing
    assert simulator.num_uncertified_steps == 0, simulator.report


@pytest.mark.parametrize("name, share", [("gripper", 0.25), ("hand", 0.05)])
def test_drops_what_it_hardly_holds(name, share):
    simulator = simulator_of(load(name).model, "hold", dt=2e-3)
    control = simulator.control.copy()
    control[:-1] *= share  # the last one is the height
    simulator.set_control(control)
    thing = HELD[name][1][len(HELD[name][1]) // 2]
    before = simulator.frame_pose(thing).position[2]
    simulator.step(250)
    assert simulator.frame_pose(thing).position[2] < before - 0.02


@pytest.mark.parametrize("time_step", TIME_STEPS)
def test_turntable_carries(time_step):
    simulator = simulator_of(load("turntable").model, "turn", dt=time_step)
    simulator.step(round(6.0 / time_step))
    settled, before = points(simulator, "table"), points(simulator)
    simulator.step(round(1.0 / time_step))
    assert simulator.v[0] == pytest.approx(2.0, abs=1e-6)
    assert moved(points(simulator), before) > 0.1
    assert moved(points(simulator, "table"), settled) < 1e-9
    assert simulator.num_uncertified_steps == 0, simulator.report
