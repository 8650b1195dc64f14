"""MuJoCo, from the same MJCF as ours."""

from __future__ import annotations

import time

import mujoco
import numpy as np

from .engine import Engine
from .world import Robot, World


class Mujoco(Engine):
    def __init__(self, setup, stiff=False, **options):
        self.model = mujoco.MjModel.from_xml_string(setup.mjcf)
        for name, value in options.items():
            setattr(self.model.opt, name, value)
        if stiff:
            self.model.geom_solref[:] = (2 * setup.time_step, 1.0)
        self.data = mujoco.MjData(self.model)
        if self.model.nkey and self.model.key(0).name == "start":
            mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
        source = setup.source
        if isinstance(source, World):
            for i, body in enumerate(source.bodies):
                self.data.xfrc_applied[i + 1, :3] = body.force or (0, 0, 0)
        self.foot_sites = []
        if isinstance(source, Robot):
            self.foot_sites = [self.model.site(f"foot_{foot.link}").id for foot in source.feet]

    def step(self, count):
        start = time.process_time()
        mujoco.mj_step(self.model, self.data, count)
        return time.process_time() - start

    def positions(self):
        return self.data.qpos.reshape(-1, 7)[:, :3].copy()

    def velocities(self):
        return self.data.qvel.reshape(-1, 6)[:, :3].copy()

    def feet(self):
        mujoco.mj_kinematics(self.model, self.data)
        return self.data.site_xpos[self.foot_sites].copy(), self.data.site_xmat[self.foot_sites].reshape(-1, 3, 3).copy()

    def capsule(self):
        mujoco.mj_kinematics(self.model, self.data)
        body = self.data.body("capsule")
        return body.xpos.copy(), body.xmat.reshape(3, 3)[:, 1].copy()

    def contacts(self):
        return self.data.ncon

    def finite(self):
        return bool(np.isfinite(self.data.qpos).all()) and not any(w.number for w in self.data.warning)
