"""What every engine offers to the scenes, and which engines and settings there are."""

from __future__ import annotations

import importlib
import importlib.util

import numpy as np

# name → (module, class, package that must be there, options). The settings of a careful user are spelled out here alone.
ENGINES = {
    "stiction": ("engine_stiction", "Stiction", "stiction", {}),
    "mujoco": ("engine_mujoco", "Mujoco", "mujoco", {}),  # as it comes: Newton, pyramids
    "mujoco-elliptic": ("engine_mujoco", "Mujoco", "mujoco", {"cone": 1}),
    # As MuJoCo's own guide recommends against slip: elliptic cones, impratio 10, implicitfast (3), NoSlip.
    "mujoco-noslip": (
        "engine_mujoco", "Mujoco", "mujoco",
        {"cone": 1, "impratio": 10.0, "integrator": 3, "noslip_iterations": 10},
    ),
    "mujoco-discrete": ("engine_mujoco", "Mujoco", "mujoco", {"cone": 1, "impratio": 10.0, "integrator": 4}),
    "mujoco-stiff": (
        "engine_mujoco", "Mujoco", "mujoco",
        {"cone": 1, "impratio": 10.0, "noslip_iterations": 10, "stiff": True},  # solref of two steps
    ),
    "drake": ("engine_drake", "Drake", "pydrake", {"approximation": "lagged"}),
    "drake-sap": ("engine_drake", "Drake", "pydrake", {"approximation": "sap"}),
    "dart-dantzig": ("engine_dart", "Dart", "dartpy", {"solver": "dantzig"}),
    "dart-nsgs": ("engine_dart", "Dart", "dartpy", {"solver": "nsgs"}),
    "bullet": ("engine_bullet", "Bullet", "pybullet", {"iterations": 50}),
    "bullet-1000": ("engine_bullet", "Bullet", "pybullet", {"iterations": 1000, "cone": 1}),
}
# Ours and MuJoCo run in turns in one process; the others in a process of their own each.
IN_PROCESS = {"stiction", "mujoco", "mujoco-elliptic", "mujoco-noslip", "mujoco-discrete", "mujoco-stiff"}


class Unsupported(Exception):
    """The engine cannot run the scene; the message says why."""


class Engine:
    """One scene, built and at its start. CPU time is that of the engine's own stepping."""

    def step(self, count: int) -> float:
        """Steps, and tells the CPU seconds that took."""
        raise NotImplementedError

    def positions(self) -> np.ndarray:
        """Of the free bodies of a World, (n, 3)."""
        raise NotImplementedError

    def velocities(self) -> np.ndarray:
        raise NotImplementedError

    def feet(self) -> tuple[np.ndarray, np.ndarray]:
        """World positions (n, 3) and orientations (n, 3, 3) of the feet of a Robot."""
        raise NotImplementedError

    def capsule(self) -> tuple[np.ndarray, np.ndarray]:
        """Position and axis of the capsule of the pinch."""
        raise NotImplementedError

    def contacts(self) -> int:
        raise NotImplementedError

    def finite(self) -> bool:
        return True

    # Ours alone.
    def worst_residual(self) -> float | None:
        return None

    def uncertified(self) -> int | None:
        return None

    def stages(self) -> dict[str, float]:
        """Seconds of the last step by stage."""
        return {}


def available(name: str) -> bool:
    return importlib.util.find_spec(ENGINES[name][2]) is not None


def make_engine(name: str, setup) -> Engine:
    module, cls, _, options = ENGINES[name]
    return getattr(importlib.import_module(f".{module}", __package__), cls)(setup, **options)
