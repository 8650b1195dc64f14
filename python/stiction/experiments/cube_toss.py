"""A real cube thrown onto a board: flight first, then structure, then friction, cross-validated; beside other simulators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Sequence

import numpy as np

import stiction

from ..fit import (
    CenterOfMass, Compliance, CornerRounding, Damping, FitResult, Friction, GravityDirection, Inertia, Parameter, Rollouts, Score,
    add_rounded_box, fit, fit_flight, folds, save_report,
)  # fmt: skip
from ._toss_peers import fit_peer, installed_peers
from ._tosses import CUBE_INERTIA, CUBE_MASS, CUBE_WIDTH, Toss, along_throw, plain_cube, read_cube, score, toss_folder
from .experiment import Experiment, Run

#: The first rows of a toss after its start: impacts decide there, and friction of flat sliding does not yet.
FIRST_ROWS = 20
#: One toss counts no more than this in an objective.
CAPS = (30.0, 30.0)
#: name, model, steps per sample, position %, rotation °, right face % on the training tosses
PLAIN_ROWS = [
    ("rigid, 1480 Hz", dict(friction=0.179, restitution=0.10), 10, 12.7, 16.6, 86),
    ("rigid, 148 Hz", dict(friction=0.1765), 1, 13.9, 16.9, 84),
    ("compliant, 1480 Hz", dict(friction=0.1795, compliance=2.1e-5, damping=56.0), 10, 12.5, 15.5, 86),
    ("compliant, 148 Hz", dict(friction=0.178, compliance=1.7e-4, damping=3.8), 1, 13.6, 16.0, 86),
    ("com, rigid", dict(friction=0.175, restitution=0.23, inertia=0.00113, com=(2e-4, 1e-4, 5.9e-3)), 10, 9.7, 9.9, 94),
    ("com, compliant", dict(friction=0.176, compliance=1.2e-5, damping=64.0, inertia=0.00119, com=(2e-4, 1e-4, 5.9e-3)), 10, 9.0, 8.2, 95),
]

CORNERS = [f"cube_corner{k}" for k in range(8)]
FACES = [f"cube_face{k}" for k in range(6)]


def cube() -> stiction.Model:
    """Corners and the middles of the faces are spheres with materials of their own: faces lie flat, corners hit."""
    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane(), name="board")
    body = builder.add_body(name="cube", mass=CUBE_MASS, inertia=[CUBE_INERTIA] * 3)
    add_rounded_box(builder, body, (CUBE_WIDTH / 2,) * 3, 0.005, name="cube", faces=True, priority=1, friction=0.18)
    return builder.build()


def parameters(com: Sequence[float]) -> List[Parameter]:
    """The start of a fit: published values, and a rounding and contact of the usual size."""
    touching = CORNERS + FACES
    return [
        CenterOfMass("cube", com, frozen=True),
        Inertia("cube", 9.5e-4, lower=6e-4, upper=1.6e-3, name="inertia"),
        CornerRounding("cube", (CUBE_WIDTH / 2,) * 3, 0.005, lower=5e-4, upper=0.015, name="rounding"),
        Compliance(touching, 1e-5, lower=2e-6, upper=2e-4, name="compliance"),
        Damping(touching, 64.0, lower=10.0, upper=300.0, name="damping"),
        Friction(CORNERS, 0.17, lower=0.1, upper=0.3, name="friction of corners"),
        Friction(FACES, 0.3, lower=0.0, upper=1.0, name="friction of faces"),
        GravityDirection((0.0, 0.0), lower=-0.3, upper=0.3, name="lean"),
    ]


@dataclass(frozen=True)
class Fitted:
    com: np.ndarray
    result: FitResult


def fit_cube(tosses: Sequence[Toss], runs: "tuple[int, int]") -> Fitted:
    """Flight, then structure on the first rows, then friction and lean on whole tosses. Tosses are along x."""
    com = fit_flight([t.trajectory for t in tosses], [t.touch for t in tosses], least_rows=8).com
    model, chosen = cube(), parameters(com)
    _free(chosen, {"inertia", "rounding", "compliance", "damping", "friction of corners"})
    how: Dict[str, Any] = dict(method="nelder_mead", step=0.08, tolerance=1e-7)
    first = fit(model, chosen, objective=lambda m: _capped(tosses, m, FIRST_ROWS), max_runs=runs[0], **how)
    _take(chosen, first)
    _free(chosen, {"friction of corners", "friction of faces", "lean"})
    whole = fit(model, chosen, objective=lambda m: _capped(tosses, m, 0), max_runs=runs[1], **how)
    return Fitted(com, whole)


def _free(chosen: Sequence[Parameter], names: "set[str]") -> None:
    for p in chosen:
        p.frozen = p.name not in names


def _take(chosen: Sequence[Parameter], result: FitResult) -> None:
    for p in chosen:
        p.value = np.atleast_1d(np.asarray(result.values[p.name], dtype=float))


def _capped(tosses: Sequence[Toss], model: stiction.Model, rows: int) -> float:
    return score(tosses, Rollouts(model).run, CUBE_WIDTH, rows).capped(*CAPS)


def run(run: Run) -> None:
    tosses = read_cube(toss_folder("cube"))
    _flight(run, tosses)
    _plain_rows(run, tosses)
    along = [along_throw(t) for t in tosses]
    used = along[::16] if run.quick else along
    if run.quick:
        run.note(f"quick: fits see {len(used)} of {len(along)} tosses and stop early; their figures are no result")
    table = _cross_validate(run, used)
    _peers(run, used, table)
    run.csv("scores", ["model", "position_percent", "rotation_deg", "face_percent", "median_position", "median_rotation", "tosses"], table)


def _flight(run: Run, tosses: Sequence[Toss]) -> None:
    flight = fit_flight([t.trajectory for t in tosses], [t.touch for t in tosses], least_rows=8)
    run.check("centre of mass off the middle, from flight, mm", flight.com[2] * 1e3, near=(5.7, 0.4))
    print("  flight: " + str(flight).replace("\n", "\n          "))


def _plain_rows(run: Run, tosses: Sequence[Toss]) -> None:
    """The figures that were found before, with the values that were found then."""
    rows = [row for row in PLAIN_ROWS if not run.quick or row[2] == 1]
    for name, values, substeps, position, rotation, face in run.progress(rows, "plain rows"):
        found = score(tosses, Rollouts(plain_cube(**values), substeps=substeps).run, CUBE_WIDTH)
        print(f"  {name:20s} {found}")
        run.check(f"{name}: position, %", found.position, near=(position, 0.2))
        run.check(f"{name}: rotation, deg", found.rotation, near=(rotation, 0.3))
        run.check(f"{name}: right face, %", found.face, near=(face, 1.0))


def _cross_validate(run: Run, tosses: Sequence[Toss]) -> List[List[Any]]:
    runs = (12, 8) if run.quick else (150, 100)
    scores, plain, predicted = [], [], {}
    values: List[List[Any]] = []
    for k, (to_fit, to_score) in enumerate(run.progress(list(folds(tosses, 2)), "folds")):
        fitted = fit_cube(to_fit, runs)
        rollouts = Rollouts(fitted.result.model)
        scores.append(score(to_score, rollouts.run, CUBE_WIDTH))
        plain.append(score(to_score, Rollouts(plain_cube(**PLAIN_ROWS[2][1])).run, CUBE_WIDTH))
        predicted.update({t.name: (t, rollouts.run(t.trajectory)) for t in to_score})
        values += [[k, label, value] for label, value, *_ in fitted.result.rows()]
        print(f"  fold {k}: {scores[-1]}\n" + "\n".join(f"    {label:22s} {value:.5g}" for _, label, value in values if _ == k))
        _write(run, f"cube_fold{k}", fitted)
        if k == 0:
            shown = [t.trajectory for t in to_score]
            run.files.append(save_report(run.folder / "report.html", fitted.result, shown, title="Cube tosses: fitted on the other half"))
    whole, before = scores[0] + scores[1], plain[0] + plain[1]
    print(f"  cross-validated:   {whole}\n  plain, same tosses: {before}")
    run.csv("parameters", ["fold", "name", "value"], values)
    by_toss = [[e.name, e.position, e.rotation, int(e.face)] for e in whole.errors]
    run.csv("tosses", ["toss", "position_percent", "rotation_deg", "right_face"], by_toss)
    if run.quick:
        run.check("cross-validated position against plain, %", whole.position - before.position, at_most=0.0)
    else:
        run.check("cross-validated position, %", whole.position, at_most=8.5, paper="13.5 in-sample (Drake, RA-L 2022)")
        run.check("cross-validated rotation, deg", whole.rotation, at_most=9.5, paper="16.5 in-sample")
        run.check("cross-validated right face, %", whole.face, at_least=94.0)
    _plot(run, whole, predicted)
    return [_line("stiction, cross-validated", whole), _line("stiction, plain", before)]


def _write(run: Run, name: str, fitted: Fitted) -> None:
    """The fitted model as a file to go on with, and its values with what is known about them."""
    written = stiction.save(fitted.result.model, run.folder / f"{name}.xml")
    if written.lost:
        run.note(f"{name}.xml: MJCF cannot say {len(written.lost)} things ({written.lost[0]}, …); the .json has all values")
    run.files += [run.folder / f"{name}.xml", fitted.result.save(run.folder / f"{name}.json")]


def _line(name: str, found: Score) -> List[Any]:
    return [name, found.position, found.rotation, found.face, found.median_position, found.median_rotation, len(found.errors)]


def _plot(run: Run, found: Score, predicted: Dict[str, Any]) -> None:
    """The best, two in between and the worst: height and way, recorded and predicted."""
    order = sorted(found.errors, key=lambda e: e.position)
    picked = [order[round(x * (len(order) - 1))] for x in (0.0, 0.33, 0.67, 1.0)]
    with run.figure("tosses", 9.0, 7.0) as figure:
        for axes, error in zip(figure.subplots(2, 2).flat, picked):
            toss, q = predicted[error.name]
            p = toss.trajectory.positions[toss.trajectory.start :]
            times = np.arange(len(p)) * toss.trajectory.interval
            for column, label in ((0, "along the throw"), (2, "height")):
                (line,) = axes.plot(times, p[:, column] - p[0, column], label=f"{label}, recorded")
                axes.plot(times, q[:, column] - p[0, column], "--", color=line.get_color(), label="predicted")
            axes.set_title(f"toss {error.name}: {error.position:.1f} %, {error.rotation:.1f}°", fontsize="medium")
            axes.set_xlabel("s")
            axes.set_ylabel("m")
        axes.legend(fontsize="small")
    with run.figure("errors") as figure:
        left, right = figure.subplots(1, 2)
        left.hist([e.position for e in found.errors], bins=30)
        left.set_xlabel("position error, % of the width")
        right.hist([e.rotation for e in found.errors], bins=30)
        right.set_xlabel("rotation error, degrees")


def _peers(run: Run, tosses: Sequence[Toss], table: List[List[Any]]) -> None:
    """The same body and folds; fewer tosses of a half are fitted to where an engine is slow, and all of the other are scored."""
    peers = installed_peers()
    names = {peer.__name__ for peer in peers}
    for missing in ("MuJoCo", "Bullet", "Drake"):
        if missing not in names:
            run.note(f"{missing} is not installed, and not compared with")
    interval = tosses[0].trajectory.interval
    for peer in run.progress(peers, "peers"):
        if run.quick and peer.__name__ == "Drake":
            run.note("quick: without Drake, which takes 0.1 s per toss")
            continue
        found = []
        for to_fit, to_score in folds(tosses, 2):
            com = fit_flight([t.trajectory for t in to_fit], [t.touch for t in to_fit], least_rows=8).com
            few = to_fit if run.quick else to_fit[:: peer.every]

            def objective(predict: Any, few: Sequence[Toss] = few) -> float:
                return score(few, predict, CUBE_WIDTH).capped(*CAPS)

            values = fit_peer(peer, com, interval, objective, 8 if run.quick else peer.runs)
            found.append(score(to_score, peer(com, interval, values).predict, CUBE_WIDTH))
        both = found[0] + found[1]
        print(f"  {peer.__name__:18s} {both}  {', '.join(f'{k} {v:.4g}' for k, v in values.items())}")
        table.append(_line(f"{peer.__name__}, cross-validated", both))


EXPERIMENT = Experiment(
    "cube-toss",
    "A real cube thrown onto a board",
    "beyond the papers; data of ContactNets 2020",
    "Published simulators predict these tosses within 13.5 % of the width and 16.5 degrees. A centre of mass that free flight reveals, "
    "rounded corners, and faces that rub more than corners are worth more than any contact model.",
    run,
    extras=("scipy",),
)
