"""Ours, through the Python package, reading the same MJCF as MuJoCo."""

from __future__ import annotations

import time

import numpy as np
import stiction

from .engine import Engine
from .world import Robot, World


class Stiction(Engine):
    def __init__(self, setup):
        loaded = stiction.load_mjcf_string(setup.mjcf)
        self.model, self.setup = loaded.model, setup
        self.simulator = stiction.Simulator(self.model, dt=setup.time_step)
        if 'name="start"' in setup.mjcf:
            self.simulator.reset(self.model.find_keyframe("start"))
        source = setup.source
        if isinstance(source, World) and any(b.force for b in source.bodies):
            force = np.zeros(self.model.num_velocities)
            for i, body in enumerate(source.bodies):
                force[6 * i : 6 * i + 3] = body.force or (0, 0, 0)
            self.simulator.set_joint_force(force)
        self.foot_frames = []
        if isinstance(source, Robot):
            self.foot_frames = [self.model.find_frame(f"foot_{foot.link}") for foot in source.feet]

    def step(self, count):
        start = time.process_time()
        self.simulator.step(count)
        return time.process_time() - start

    def positions(self):
        return np.array(self.simulator.state.q).reshape(-1, 7)[:, :3].copy()

    def velocities(self):
        return np.array(self.simulator.state.v).reshape(-1, 6)[:, :3].copy()

    def feet(self):
        poses = [self.simulator.frame_pose(f) for f in self.foot_frames]
        return np.array([x.position for x in poses]), np.array([x.rotation for x in poses])

    def capsule(self):
        pose = self.simulator.frame_pose(self.model.find_frame("capsule"))
        return np.array(pose.position), np.array(pose.rotation)[:, 1]

    def contacts(self):
        return self.simulator.report.num_contacts

    def finite(self):
        return bool(np.isfinite(self.simulator.state.q).all())

    def worst_residual(self):
        return self.simulator.worst_residual

    def uncertified(self):
        return self.simulator.num_uncertified_steps

    def stages(self):
        return dict(self.simulator.report.seconds)
