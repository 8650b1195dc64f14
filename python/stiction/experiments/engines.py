"""Steps per second of three robots without actuation: ours and the simulators that are installed, in one run."""

from __future__ import annotations

import importlib.util
import re
import time
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

import stiction as st

from . import _engine_peers as peers
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


def without_touching_pairs(path: Path) -> List[Tuple[str, str]]:
    """Hulls that overlap as the robot is drawn are no pairs of a working robot: they are excluded for all engines alike."""
    import mujoco

    spec = mujoco.MjSpec.from_file(str(path))
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    pairs = {tuple(sorted(int(model.geom_bodyid[g]) for g in contact.geom)) for contact in data.contact}
    names = [(model.body(a).name, model.body(b).name) for a, b in sorted(pairs) if a > 0]
    for a, b in names:
        spec.add_exclude(bodyname1=a, bodyname2=b)
    spec.compile()
    path.write_text(spec.to_xml(), encoding="utf-8")
    return names


def engines_for(path: Path) -> List[Any]:
    makers = [lambda: Ours(path)]
    if has_mujoco():
        makers.append(lambda: Mujoco(path, "mujoco"))
        makers.append(lambda: Mujoco(path, "mujoco-elliptic", cone=1, impratio=10.0))
    return [make() for make in makers]


def has_mujoco() -> bool:
    return importlib.util.find_spec("mujoco") is not None and hasattr(importlib.import_module("mujoco"), "MjSpec")


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


def add_peers(run: Run, robot: str, model: Any, excluded: List[Tuple[str, str]], steps: int, rounds: int, found: Dict[str, Any]) -> None:
    """Those that read URDF, each in a process of its own; their impulses are not judged."""
    if model.loops:
        run.note(f"{robot}: its loops are no URDF: not for {', '.join(peers.PEERS)}")
        return
    path = run.folder / f"{robot}.urdf"
    st.save(model, path)
    path.write_text(peers.plain_urdf(path.read_text(encoding="utf-8")), encoding="utf-8")
    is_fixed = model.num_positions == model.num_velocities
    told = peers.Robot(str(path), is_fixed, 0.0 if is_fixed else float(model.initial_position[2]), tuple(excluded))
    for name, (package, _) in peers.PEERS.items():
        if importlib.util.find_spec(package) is None:
            continue
        try:
            rate, touched = peers.rate(name, told, DT, steps, rounds)
            if 2 * touched < found["stiction"]["contacts"]:
                samples = f"touches in {touched} of {steps // 20} samples where ours does in {found['stiction']['contacts']}"
                run.note(f"{robot}: not compared with {name}, {rate:.0f} steps per second: it {samples}")
                continue
            found[name] = {"rate": rate, "eps": float("nan"), "contacts": touched}
        except RuntimeError as error:
            run.note(f"{robot}: not compared with {name}: {error}")


def run(run: Run) -> None:
    steps, rounds = (400, 1) if run.quick else (2000, ROUNDS)
    folder = worlds.robots_folder()
    robots = {"humanoid": humanoid}
    if folder is not None:
        robots = {"ur5": ur5, "cassie": cassie, **robots}
    else:
        run.note("example-robot-data is not installed: the humanoid alone")
    results = {}
    for name, make in run.progress(list(robots.items())):
        path, model = run.folder / f"{name}.xml", make(folder)
        st.save(model, path)
        excluded = without_touching_pairs(path) if has_mujoco() else []
        results[name] = measure(path, steps, rounds)
        add_peers(run, name, model, excluded, steps, rounds, results[name])
    run.csv("engines", ["robot", "engine", "steps_per_second", "median_eps_abs", "samples_with_contacts"],
            [[r, e, x["rate"], x["eps"], x["contacts"]] for r, found in results.items() for e, x in found.items()])
    with run.figure("engines") as figure:
        for axes, (robot, found) in zip(np.atleast_1d(figure.subplots(1, len(results))), results.items()):
            axes.bar(range(len(found)), [x["rate"] for x in found.values()])
            axes.set_xticks(range(len(found)), list(found), rotation=30, fontsize=7)
            axes.set_title(robot)
            axes.set_yscale("log")
        figure.supylabel("steps per second")
    _judge(run, results)


def _judge(run: Run, results: Dict[str, Dict[str, Dict[str, float]]]) -> None:
    for robot, found in results.items():
        ours, others = found["stiction"], {e: x for e, x in found.items() if e != "stiction"}
        run.note(f"{robot}: steps per second " + ", ".join(f"{e} {x['rate']:.0f}" for e, x in found.items()))
        for peer, x in others.items():
            run.check(f"{robot}: ours over {peer}", ours["rate"] / x["rate"], at_least=1.0, paper="figure 6: ADMM ahead", timed=True)
            if np.isfinite(x["eps"]) and np.isfinite(ours["eps"]):
                run.check(f"{robot}: ε_abs of ours over that of {peer}", ours["eps"] / max(x["eps"], 1e-300), at_most=1.0)
    alone = [robot for robot, found in results.items() if len(found) == 1]
    if alone:
        run.not_compared = f"no other simulator ran {', '.join(alone)}"
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
