#!/usr/bin/env python3
"""Stiction and the user's own MuJoCo in one process: each keeps its library, and models go from one to the other.

    beside_mujoco.py mujoco-first | stiction-first | global

global: the user's library is loaded for all to see, as a program that links it would.
"""

import ctypes
import importlib.util
import os
import re
import sys

import numpy as np

ORDER = sys.argv[1]
BALL = """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
  <body name="ball" pos="0 0 1"><freejoint/><geom size=".1" mass="2" friction="0.7"/></body></worldbody></mujoco>"""
ARM = """<mujoco><compiler angle="radian"/>
  <asset>
    <mesh name="wedge" file="wedge.obj" scale="0.1 0.1 0.1"/>
    <hfield name="hills" nrow="3" ncol="4" size="2 1 0.3 0.1" elevation="0 1 2 3  1 2 3 4  2 5 1 0"/>
    <texture name="sky" type="2d" builtin="flat" width="4" height="4"/><material name="blue" texture="sky"/>
  </asset>
  <worldbody>
    <geom type="hfield" hfield="hills" material="blue"/>
    <body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0" range="-2 1.5" limited="true" damping="0.2" armature="0.01"/>
      <geom type="capsule" size=".05 .2" pos="0 0 .2"/>
      <body name="lower" pos="0 0 .4"><joint name="elbow" axis="0 1 0" frictionloss="0.3"/>
        <geom name="tip" type="mesh" mesh="wedge" pos="0 0 .1" quat="0.9 0.1 0.3 0"/></body></body>
  </worldbody>
  <actuator><position name="drive" joint="elbow" kp="30"/></actuator>
  <keyframe><key name="bent" qpos="0.3 -0.4"/></keyframe></mujoco>"""
WEDGE = b"v 0 0 0\nv 2 0 0\nv 0 3 0\nv 0 0 1\nv 2 0 1\nf 1 3 2\nf 1 2 5\nf 1 5 4\nf 1 4 3\nf 2 3 5\nf 3 4 5\n"


def import_both():
    if ORDER == "global":
        folder = importlib.util.find_spec("mujoco").submodule_search_locations[0]
        (name,) = [name for name in os.listdir(folder) if name.startswith("libmujoco.so")]
        ctypes.CDLL(os.path.join(folder, name), mode=ctypes.RTLD_GLOBAL)
    if ORDER == "stiction-first":
        import stiction

        assert stiction.has_mjcf()  # opens its library
        import mujoco
    else:
        import mujoco

        import stiction
    return mujoco, stiction


def fall(mujoco):
    """Bits of a run of the user's MuJoCo."""
    model = mujoco.MjModel.from_xml_string(BALL)
    data = mujoco.MjData(model)
    data.qvel[3:] = 1.0, 2.0, 3.0
    mujoco.mj_step(model, data, 700)
    return data.qpos.tobytes()


def check_libraries():
    files = set(re.findall(r"\S*lib(?:stiction_)?mujoco\.so\S*", open("/proc/self/maps").read()))
    assert len(files) == 2, f"two libraries of MuJoCo are wanted: {files}"


def check_ball(stiction, mujoco):
    before = fall(mujoco)
    loaded = stiction.load_mjcf_string(BALL)
    simulator = stiction.Simulator(loaded.model, dt=2e-3)
    report = simulator.step(700)
    assert report.certified and abs(simulator.body_pose("ball").position[2] - 0.1) < 1e-4, report
    assert fall(mujoco) == before, "MuJoCo gives other bits once Stiction has read a file"


def check_arm(stiction, mujoco):
    model = mujoco.MjModel.from_xml_string(ARM, {"wedge.obj": WEDGE})
    model.geom_friction[:, 0] = 0.4
    loaded = stiction.from_mujoco(model)
    data = mujoco.MjData(model)
    data.qpos[:] = 0.3, -0.4
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, M, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(model, data, M)
    ours = stiction.inertia_matrix(loaded.model, np.array([0.3, -0.4]))
    assert np.allclose(ours, M, rtol=1e-5, atol=1e-9), (ours, M)
    assert len(loaded.model.keyframes) == 1 if hasattr(loaded.model, "keyframes") else True


def check_refusal(stiction, mujoco):
    """A model that MuJoCo did not read last comes over right, or not at all."""
    arm = mujoco.MjModel.from_xml_string(BALL.replace('mass="2"', 'mass="3"'))
    mujoco.MjModel.from_xml_string(BALL)
    try:
        loaded = stiction.from_mujoco(arm)
    except ValueError as error:
        assert "not the model in hand" in str(error) or "no text" in str(error), error
        return "refused"
    mass = float(stiction.inertia_matrix(loaded.model, arm.qpos0[[0, 1, 2, 4, 5, 6, 3]])[0, 0])
    assert abs(mass - 3.0) < 1e-9, f"the mass is {mass}: another model"
    return "right"


def check_spec(stiction, mujoco):
    if not hasattr(mujoco.MjSpec, "to_xml"):
        return "none"
    try:
        spec = mujoco.MjSpec.from_string(BALL)
    except TypeError:  # 3.2.0: a method of an object
        spec = mujoco.MjSpec()
        spec.from_string(BALL)
    loaded = stiction.from_mujoco(spec)
    assert loaded.model.num_bodies == 1
    return "right"


def main():
    mujoco, stiction = import_both()
    check_ball(stiction, mujoco)
    check_libraries()
    check_arm(stiction, mujoco)
    stale, spec = check_refusal(stiction, mujoco), check_spec(stiction, mujoco)
    check_ball(stiction, mujoco)
    print(f"MuJoCo {mujoco.__version__} and {stiction.mujoco_version()} both work (stale model {stale}, spec {spec})")


if __name__ == "__main__":
    main()
