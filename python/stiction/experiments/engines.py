"""Steps per second of three robots without actuation: ours and the simulators that are installed, in one run."""

from __future__ import annotations

import importlib.util
import re
import time
from pathlib import Path
from typing import Any, Dict, List, Optional

import numpy as np

import stiction as st

from . import _worlds as worlds
from .experiment import Experiment, Run

DT, ROUNDS = 1e-3, 3
FRICTION = 0.8


def free_of_resistance(model: Any) -> Any:
    """Without limits, dampers, springs and dry friction."""
    free = {"lower": -np.inf, "upper": np.inf, "damping": 0.0, "dry_friction": 0.0, "stiffness": 0.0}
    return model.edited(joints={j.name: dict(free) for j in model.joints if j.num_velocities == 1})


def ur5(folder: Path) -> Any:
    robots = folder.parent.parent
    model = st.load_urdf(folder / "ur_description/urdf/ur5_robot.urdf", base="fixed", package_roots=[robots]).model
    return free_of_resistance(model)


def cassie(folder: Path) -> Any:
    """The hulls of the meshes that the file shows; it has boxes for collision."""
    text = (folder / "cassie_description/robots/cassie_v2.sdf").read_text(encoding="utf-8")
    text = re.sub(r"<collision.*?</collision>", "", text, flags=re.S)
    text = re.sub(r"<(/?)visual", r"<\1collision", text)
    text = text.replace("model://example-robot-data", str(folder.parent))
    model = free_of_resistance(st.load_sdf_string(text, base="floating", position=(0.0, 0.0, 1.1)).model)
    builder = st.ModelBuilder.from_model(model)
    builder.add_shape(st.Plane(), friction=FRICTION)
    return builder.build()


def humanoid(folder: Optional[Path]) -> Any:
    del folder
    return free_of_resistance(st.load(worlds.scene("humanoid/humanoid.xml")).model)


class Ours:
    name = "stiction"

    def __init__(self, path: Path) -> None:
        self.simulator = st.Simulator(st.load_mjcf(path).model, dt=DT, judge_model="ncp")
        self.eps: List[float] = []

    def step(self, count: int) -> float:
        begin = time.process_time()
        self.simulator.step(count)
        seconds = time.process_time() - begin
        if self.simulator.report.num_contacts:
            self.eps.append(self.simulator.report.residuals.eps_abs)
        return seconds


class Mujoco:
    """From the same file; its contact impulses judged by the exact law on its own Jacobians."""

    def __init__(self, path: Path, name: str, **options: float) -> None:
        import mujoco

        self.name, self.mujoco = name, mujoco
        self.model = mujoco.MjModel.from_xml_path(str(path))
        self.model.opt.timestep = DT
        for key, value in options.items():
            setattr(self.model.opt, key, value)
        self.data = mujoco.MjData(self.model)
        self.eps: List[float] = []

    def step(self, count: int) -> float:
        begin = time.process_time()
        self.mujoco.mj_step(self.model, self.data, count)
        seconds = time.process_time() - begin
        if self.data.ncon:
            self.eps.append(self.judged())
        return seconds

    def judged(self) -> float:
        """ε_abs of the contacts as MuJoCo solves them at the present state, what else acts being part of the free velocity."""
        m, d, mj = self.model, self.data, self.mujoco
        mj.mj_forward(m, d)
        inertia = np.zeros((m.nv, m.nv))
        mj.mj_fullM(m, d, inertia) if _new_full_m(mj) else mj.mj_fullM(m, inertia, d.qM)
        rows, impulses, constraints, gaps = [], [], [], []
        force = np.zeros(6)
        for i in range(d.ncon):
            contact = d.contact[i]
            if contact.efc_address < 0:
                continue
            frame = contact.frame.reshape(3, 3)  # rows: normal, t1, t2
            mj.mj_contactForce(m, d, i, force)
            body = [m.geom_bodyid[g] for g in contact.geom]
            jacobians = []
            for b in body:
                jacobian = np.zeros((3, m.nv))
                mj.mj_jac(m, d, jacobian, None, contact.pos, b)
                jacobians.append(jacobian)
            relative = frame @ (jacobians[1] - jacobians[0])
            rows.append(relative[[1, 2, 0]])
            impulses.append(force[[1, 2, 0]] * DT)
            constraints.append(st.Constraint.make_frictional(contact.friction[0]))
            gaps.append(contact.dist)
        if not rows:
            return 0.0
        jacobian, impulse = np.vstack(rows), np.concatenate(impulses)
        end = d.qvel + DT * d.qacc
        delassus = jacobian @ np.linalg.solve(inertia, jacobian.T)
        velocity = jacobian @ end
        velocity[2::3] += np.maximum(0.0, gaps) / DT
        problem = st.ContactProblem.from_dense(constraints, 0.5 * (delassus + delassus.T), velocity - delassus @ impulse)
        return float(st.judge(problem, impulse, "ncp", DT).eps_abs)


def _new_full_m(mj: Any) -> bool:
    """The order of its arguments changed with version 3.4."""
    major, minor = (int(x) for x in mj.__version__.split(".")[:2])
    return (major, minor) >= (3, 4)


class Bullet:
    """Through pybullet, as it reads MJCF; UR5 and humanoid alone."""

    name = "bullet"

    def __init__(self, path: Path) -> None:
        import pybullet as p

        self.p, self.eps = p, []
        p.connect(p.DIRECT)
        p.setPhysicsEngineParameter(fixedTimeStep=DT, numSubSteps=0)
        p.setGravity(0.0, 0.0, -9.81)
        for body in p.loadMJCF(str(path), flags=p.URDF_USE_SELF_COLLISION):
            for joint in range(-1, p.getNumJoints(body)):
                p.changeDynamics(body, joint, linearDamping=0, angularDamping=0, jointDamping=0)
                if joint >= 0:
                    p.setJointMotorControl2(body, joint, p.VELOCITY_CONTROL, force=0)

    def step(self, count: int) -> float:
        begin = time.process_time()
        for _ in range(count):
            self.p.stepSimulation()
        return time.process_time() - begin


def without_touching_pairs(path: Path) -> Path:
    """Hulls that overlap as the robot is drawn are no pairs of a working robot: they are excluded for all engines alike."""
    import mujoco

    spec = mujoco.MjSpec.from_file(str(path))
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    pairs = {tuple(sorted(int(model.geom_bodyid[g]) for g in contact.geom)) for contact in data.contact}
    for a, b in sorted(pairs):
        if a > 0:
            spec.add_exclude(bodyname1=model.body(a).name, bodyname2=model.body(b).name)
    spec.compile()
    path.write_text(spec.to_xml(), encoding="utf-8")
    return path


def engines_for(path: Path) -> List[Any]:
    makers = [lambda: Ours(path)]
    if importlib.util.find_spec("mujoco") and hasattr(importlib.import_module("mujoco"), "MjModel"):
        makers.append(lambda: Mujoco(path, "mujoco"))
        makers.append(lambda: Mujoco(path, "mujoco-elliptic", cone=1, impratio=10.0))
    if importlib.util.find_spec("pybullet"):
        makers.append(lambda: Bullet(path))
    return [make() for make in makers]


def measure(path: Path, steps: int, rounds: int) -> Dict[str, Dict[str, float]]:
    """The fastest of so many runs each, in turns; ε_abs is the median over the samples with contacts."""
    results: Dict[str, Dict[str, float]] = {}
    for _ in range(rounds):
        for engine in engines_for(path):
            seconds = sum(engine.step(20) for _ in range(steps // 20))
            eps = float(np.median(engine.eps)) if engine.eps else float("nan")
            rate = steps / seconds
            before = results.get(engine.name, {"rate": 0.0})
            results[engine.name] = {"rate": max(rate, before["rate"]), "eps": eps, "contacts": len(engine.eps)}
    return results


def run(run: Run) -> None:
    steps = 400 if run.quick else 2000
    folder = worlds.robots_folder()
    robots = {"humanoid": humanoid}
    if folder is not None:
        robots = {"ur5": ur5, "cassie": cassie, **robots}
    else:
        run.note("example-robot-data is not installed: the humanoid alone")
    results = {}
    for name, make in run.progress(list(robots.items())):
        path = run.folder / f"{name}.xml"
        st.save(make(folder), path)
        if importlib.util.find_spec("mujoco") and hasattr(importlib.import_module("mujoco"), "MjSpec"):
            without_touching_pairs(path)
        results[name] = measure(path, steps, 1 if run.quick else ROUNDS)
    run.csv("engines", ["robot", "engine", "steps_per_second", "median_eps_abs", "samples_with_contacts"],
            [[r, e, x["rate"], x["eps"], x["contacts"]] for r, found in results.items() for e, x in found.items()])
    with run.figure("engines") as figure:
        for axes, (robot, found) in zip(np.atleast_1d(figure.subplots(1, len(results))), results.items()):
            axes.bar(range(len(found)), [x["rate"] for x in found.values()])
            axes.set_xticks(range(len(found)), list(found), rotation=30, fontsize=7)
            axes.set_title(robot)
            axes.set_yscale("log")
        figure.supylabel("steps per second")
    for robot, found in results.items():
        ours, peers = found["stiction"], {e: x for e, x in found.items() if e != "stiction"}
        run.check(f"{robot}: steps per second of ours", ours["rate"], at_least=1.0)
        for peer, x in peers.items():
            run.check(f"{robot}: ours over {peer}", ours["rate"] / x["rate"], at_least=1.0, paper="figure 6: ADMM ahead")
            if np.isfinite(x["eps"]) and np.isfinite(ours["eps"]):
                run.check(f"{robot}: ε_abs of ours over that of {peer}", ours["eps"] / max(x["eps"], 1e-300), at_most=1.0)
    missing = [n for n, module in (("MuJoCo", "mujoco"), ("Bullet", "pybullet"), ("Drake", "pydrake"), ("DART", "dartpy"))
               if importlib.util.find_spec(module) is None]
    if missing:
        run.note(f"not installed, not compared: {', '.join(missing)}")


EXPERIMENT = Experiment(
    "engines",
    "UR5, Cassie and a humanoid fall: steps per second",
    "ADMM 2024, figure 6",
    "An exact solver with good rigid-body algorithms is faster than the simulators in use.",
    run,
)
