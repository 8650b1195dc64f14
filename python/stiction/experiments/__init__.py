"""The papers' experiments: `python -m stiction.experiments list`, or `stiction experiment list`."""

from .experiment import Check, Experiment, Run
from .registry import experiments, find

__all__ = ["Check", "Experiment", "Run", "experiments", "find"]
