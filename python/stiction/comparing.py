"""One call for a comparison of contact models, as `stiction compare` on the command line."""

from __future__ import annotations

import os
from typing import Any, List, Optional, Sequence, Union

from numpy.typing import ArrayLike

from ._progress import Progress, teller
from ._stiction import Comparison, Model, Simulator, load, solver_names, solver_of_each_model, solver_traits

MOST_FRAMES = 1000  # of a page, where `every` is not given


def compare(
    scene: Union[Model, str, "os.PathLike[str]"],
    *,
    solvers: Union[str, Sequence[str], None] = None,
    models: Union[str, Sequence[str], None] = None,
    reference: str = "auto",
    time: float = 1.0,
    steps: Optional[int] = None,
    keyframe: Union[int, str, None] = None,
    control: Optional[ArrayLike] = None,
    parting_distance: float = 1e-3,
    title: str = "",
    every: Optional[int] = None,
    progress: Progress = False,
    **settings: Any,
) -> Comparison:
    """The same scene and start under several contact models, `time` seconds or `steps` steps long; print the result.

    `scene` is a model or a file. `solvers` are names or "all"; `models` are contact models ("ccp", "lcp", ...) or "all",
    one solver each; without both all models are compared. The run of `reference` is what the others are compared with.
    `every` steps are one frame of the page (None: at most 1000 frames; 0: no page). `settings` are those of `Simulator`.
    `progress`: True shows a line on standard error; a function is told (steps done, of how many).
    """
    if "solver" in settings:
        raise TypeError("compare has no argument solver; solvers and reference name what is compared")
    model = scene if isinstance(scene, Model) else load(scene).model
    chosen = _solvers(solvers, models, reference)
    simulator = Simulator(model, solver=reference, **settings)
    if keyframe is not None:
        simulator.reset(keyframe)
    if control is not None:
        simulator.set_control(control)
    if steps is None:
        if not 0 < time < float("inf"):
            raise ValueError(f"time is {time}; it must be finite and positive")
        steps = max(1, round(time / simulator.time_step))
    if steps < 1:
        raise ValueError(f"steps is {steps}; one or more is wanted")
    if every is None:
        every = -(-steps // MOST_FRAMES)
    if not title and not isinstance(scene, Model):
        title = os.path.splitext(os.path.basename(os.fspath(scene)))[0]
    comparison = Comparison(
        model, chosen, start=simulator.state, parting_distance=parting_distance, title=title, every=every, **settings
    )
    tell = teller(progress, "compare")
    if tell is None:
        comparison.step(steps)
        return comparison
    part = max(1, steps // 100)
    for done in range(0, steps, part):
        tell(done, steps)
        comparison.step(min(part, steps - done))
    tell(steps, steps)
    return comparison


def _names(value: Union[str, Sequence[str], None]) -> List[str]:
    if value is None:
        return []
    return [value] if isinstance(value, str) else list(value)


def _solvers(solvers: Union[str, Sequence[str], None], models: Union[str, Sequence[str], None], reference: str) -> List[str]:
    """The reference, then the solvers named, then one of each model; each once."""
    by_model = {solver_traits(name).model.name: name for name in solver_of_each_model()}
    if solver_traits(reference).model.name == "ncp":
        by_model["ncp"] = reference
    chosen = [reference]
    for name in _names(solvers):
        chosen += solver_names() if name == "all" else [name]
    for name in _names(models if solvers is not None or models is not None else "all"):
        if name != "all" and name not in by_model:
            raise ValueError(f"models: {name!r} is no contact model; there are: {' '.join(by_model)}")
        chosen += list(by_model.values()) if name == "all" else [by_model[name]]
    chosen = list(dict.fromkeys(chosen))
    if len(chosen) < 2:
        raise ValueError(f"there is nothing to compare: {reference} is the only solver named")
    return chosen
