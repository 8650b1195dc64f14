"""Finds the experiments: every module of this package that holds `EXPERIMENT`."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from typing import Dict

from .experiment import Experiment

#: Modules that serve experiments, and are none.
_HELPERS = {"__main__", "experiment", "registry"}


def experiments() -> Dict[str, Experiment]:
    """All experiments by name, in the order of their names."""
    found = {}
    package = importlib.import_module(__package__)
    for module in pkgutil.iter_modules(package.__path__):
        if module.name in _HELPERS or module.name.startswith("_") or module.ispkg:
            continue
        experiment = importlib.import_module(f"{__package__}.{module.name}").EXPERIMENT
        found[experiment.name] = experiment
    return dict(sorted(found.items()))


def find(name: str) -> Experiment:
    """One experiment; a ValueError for unknown names says which are near."""
    known = experiments()
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "'list' names all"
    raise ValueError(f"no experiment '{name}'; {hint}")
