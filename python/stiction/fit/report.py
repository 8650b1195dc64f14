"""The report of a fit: one HTML file with tables, plots, and the recorded and the fitted motion overlaid in the viewer."""

from __future__ import annotations

import base64
import html
import io
import os
import tempfile
from pathlib import Path
from typing import Any, List, Optional, Sequence, Union

import numpy as np

from .. import _stiction as core
from .._stiction import Model
from .fitting import FitResult
from .rollout import Rollouts
from .trajectories import Array, Trajectory

RECORDED_COLOR = (0.55, 0.55, 0.55, 0.45)
FITTED_COLOR = (0.10, 0.45, 0.85, 1.0)
#: Seconds that the last pose of a motion is shown before the next one begins.
_PAUSE = 0.3

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1080px; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: 1em 0; } td, th { padding: .25em .8em; border-bottom: 1px solid #ddd; text-align: left; }
td.n { text-align: right; font-variant-numeric: tabular-nums; } .warning { background: #fff3cd; padding: .5em .8em; margin: .4em 0; }
iframe { width: 100%; height: 640px; border: 1px solid #ccc; } img { max-width: 100%; }
"""


def overlay_model(model: Model) -> Model:
    """The bodies twice, `recorded_…` and `fitted_…`, the world once; nothing touches, nothing weighs."""
    builder = core.ModelBuilder()
    builder.set_gravity((0, 0, 0))
    builder.attach(model, prefix="fitted_")
    builder.attach(model, prefix="recorded_")
    both = builder.build()
    shapes = {}
    for shape in both.shapes:
        change = dict(group=0, mask=0)
        if shape.body >= 0:
            change["color"] = RECORDED_COLOR if shape.name.startswith("recorded_") else FITTED_COLOR
        shapes[shape.name] = change
    joints = {}
    for joint in both.joints:
        if joint.kind in ("revolute", "prismatic"):
            joints[joint.name] = dict(stiffness=0.0, dry_friction=0.0)
    return both.edited(shapes=shapes, joints=joints)


def overlay_page(
    model: Model, trajectories: Sequence[Trajectory], path: Union[str, "os.PathLike[str]"], *, title: str = "", substeps: int = 10,
    predicted: Optional[Sequence[Array]] = None, **settings: Any
) -> Path:  # fmt: skip
    """A page of the viewer with each recorded motion and that of the model over it, one trajectory after the other.

    `predicted` are q of the model at the rows from `start` on; None: it is simulated, `settings` being those of `Rollouts`.
    """
    if not len(trajectories):
        raise ValueError("there is no trajectory to show")
    if predicted is None:
        rollouts = Rollouts(model, substeps=substeps, **settings)
        predicted = [rollouts.run(t) for t in trajectories]
    for t, q in zip(trajectories, predicted):
        if q.shape != t.positions[t.start :].shape:
            raise ValueError(f"trajectory {t.name}: {q.shape} predicted and {t.positions[t.start :].shape} recorded positions")
    both = overlay_model(model)
    simulator = core.Simulator(both, dt=trajectories[0].interval, judge=False, recheck=False)
    still = np.zeros(both.num_velocities)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "overlay.h5"
        with core.record(simulator, file, contacts=False) as writer:
            for t, q in zip(trajectories, predicted):
                frames = list(zip(q, t.positions[t.start :]))
                for fitted, recorded in frames + [frames[-1]] * max(1, round(_PAUSE / t.interval)):
                    simulator.set_position(np.concatenate([fitted, recorded]))
                    simulator.set_velocity(still)
                    writer.step()
        core.Recording(file).save_page(path, title=title or "recorded (grey) and fitted (blue)")
    return Path(path)


def save_report(
    path: Union[str, "os.PathLike[str]"],
    result: FitResult,
    trajectories: Sequence[Trajectory],
    *,
    title: str = "Fit",
    shown: int = 4,
    substeps: int = 10,
    notes: Sequence[str] = (),
    **settings: Any,
) -> Path:
    """Writes the report as one file that opens from disk: parameters with intervals, warnings, the course of the fit, how errors
    spread, and the best, two middle and the worst of the trajectories (`shown` of them) as recorded and as the fitted model does
    them. `settings` are those of `Rollouts`."""
    if shown < 1:
        raise ValueError(f"shown is {shown}; 1 or more is wanted")
    rollouts = Rollouts(result.model, substeps=substeps, **settings)
    predicted = [rollouts.run(t) for t in trajectories]
    errors = [_error(result.model, t, q) for t, q in zip(trajectories, predicted)]
    order = np.argsort([error[-1] for error in errors], kind="stable")
    chosen = [int(order[k]) for k in sorted({round(x) for x in np.linspace(0, len(order) - 1, min(shown, len(order)))})]
    picked = [trajectories[k] for k in chosen]
    with tempfile.TemporaryDirectory() as folder:
        page = overlay_page(result.model, picked, Path(folder) / "overlay.html", predicted=[predicted[k] for k in chosen])
        viewer = page.read_text(encoding="utf-8")
    parts = [
        f"<h1>{html.escape(title)}</h1>",
        f"<p>{len(trajectories)} trajectories; {result.method}, cost {result.cost:.6g} after {result.runs} runs.</p>",
        *(f"<p>{html.escape(note)}</p>" for note in notes),
        *(f'<div class="warning">{html.escape(text)}</div>' for text in result.warnings),
        "<h2>Parameters</h2>", _parameter_table(result),
        "<h2>Recorded and fitted</h2>",
        "<p>Grey: recorded. Blue: the fitted model from the recorded start. One after the other, from the best to the worst: "
        f"{html.escape(', '.join(t.name for t in picked))}.</p>",
        f'<iframe srcdoc="{html.escape(viewer, quote=True)}" allowfullscreen></iframe>',
        "<h2>Errors</h2>", _image(lambda figure: _plot_errors(figure, picked, [predicted[k] for k in chosen], errors)),
        _error_table(trajectories, errors, order),
        "<h2>Course of the fit</h2>", _image(lambda figure: _plot_course(figure, result)),
    ]  # fmt: skip
    text = "\n".join(parts)
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{_STYLE}</style>'
    Path(path).write_text(f"<!doctype html>\n<html lang=\"en\"><head>{head}</head><body>\n{text}\n</body></html>\n", encoding="utf-8")
    return Path(path)


def _error(model: Model, t: Trajectory, q: Array) -> Array:
    """|difference| by row, in the units of v; the last entry is the mean."""
    by_row = [np.linalg.norm(core.difference(model, a, b)) for a, b in zip(t.positions[t.start :], q)]
    return np.array([*by_row, np.mean(by_row)])


def _parameter_table(result: FitResult) -> str:
    rows = ["<tr><th>parameter</th><th>value</th><th>95 % interval</th><th></th></tr>"]
    for label, value, low, high, remark in result.rows():
        span = f"{low:.5g} … {high:.5g}" if np.isfinite(low) and np.isfinite(high) else ""
        rows.append(f'<tr><td>{html.escape(label)}</td><td class="n">{value:.6g}</td><td>{span}</td><td>{html.escape(remark)}</td></tr>')
    return f"<table>{''.join(rows)}</table>"


def _error_table(trajectories: Sequence[Trajectory], errors: List[Array], order: Any) -> str:
    rows = ["<tr><th>trajectory</th><th>rows</th><th>mean error</th><th>at the end</th></tr>"]
    for k in [*order[:5], *order[-5:]] if len(order) > 10 else order:
        e = errors[k]
        name = html.escape(trajectories[k].name)
        rows.append(f'<tr><td>{name}</td><td class="n">{len(e) - 1}</td><td class="n">{e[-1]:.4g}</td><td class="n">{e[-2]:.4g}</td></tr>')
    text = "<p>Length of the difference of q in the units of v (m, rad); the five best and the five worst.</p>"
    return f"{text}<table>{''.join(rows)}</table>"


def _plot_errors(figure: Any, picked: Sequence[Trajectory], predicted: Sequence[Array], errors: List[Array]) -> None:
    left, right = figure.subplots(1, 2)
    for t, q in zip(picked, predicted):
        times = t.times[t.start :] - t.times[t.start]
        (line,) = left.plot(times, t.positions[t.start :, 0], label=t.name)
        left.plot(times, q[:, 0], "--", color=line.get_color())
    left.set_xlabel("s")
    left.set_ylabel("first coordinate; recorded, fitted dashed")
    left.legend(fontsize="small")
    right.hist([e[-1] for e in errors], bins=min(30, max(3, len(errors) // 3)))
    right.set_xlabel("mean error of a trajectory")
    right.set_ylabel("trajectories")


def _plot_course(figure: Any, result: FitResult) -> None:
    axes = figure.subplots()
    axes.plot(np.minimum.accumulate(result.history))
    if min(result.history) > 0:
        axes.set_yscale("log")
    axes.set_xlabel("run")
    axes.set_ylabel("best cost")


def _image(draw: Any) -> str:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("reports need matplotlib: pip install 'stiction[experiments]'") from None
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    draw(figure)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
    return f'<img alt="plot" src="data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}">'
