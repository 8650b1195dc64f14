"""What the experiments with learned contact share: bodies, training, throws measured, event sequences."""

from __future__ import annotations

import itertools
import math
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

import stiction

from .experiment import Run

BOX = (0.1, 0.075, 0.05)  # half sizes, m
TIME_STEP = 2e-3
DIMENSIONS = ("point", "line", "surface")

#: Networks of the three sizes: of the tests, of ten minutes on one core, and the paper's (more than an hour).
SIZES: Dict[str, Dict[str, Any]] = {
    "quick": dict(classifier_hidden=[64, 32], classifier_epochs=16, classifier_batch=64, classifier_learning_rate=3e-3,
                  regressor_hidden=[64, 48], regressor_epochs=40, regressor_batch=64, regressor_learning_rate=3e-3),
    "medium": dict(classifier_hidden=[128, 90, 40], classifier_epochs=30, classifier_batch=128, classifier_learning_rate=2e-3,
                   regressor_hidden=[192, 128, 64], regressor_epochs=80, regressor_batch=128, regressor_learning_rate=2e-3),
    "paper": dict(classifier_hidden=[256, 180, 80], classifier_epochs=100, classifier_dropout=0.1,
                  regressor_hidden=[512, 360, 180], regressor_epochs=1000, regressor_dropout=0.05),
}


def train(run: Run, data: Any, features: str, label: str, size: str, **more: Any) -> Any:
    """Networks, with their learning curves as LABEL-curves.csv and .png."""
    networks, curves = stiction.train_contact(data, features=features, **SIZES[size], **more)
    rows = [(curve["network"], epoch + 1, training, validation)
            for curve in curves
            for epoch, (training, validation) in enumerate(zip(curve["training_loss"], curve["validation_loss"]))]
    run.csv(f"{label}-curves", ["network", "epoch", "training loss", "validation loss"], rows)
    with run.figure(f"{label}-curves") as figure:
        axes = figure.subplots()
        for curve in curves:
            axes.semilogy(curve["validation_loss"], label=curve["network"])
        axes.set_xlabel("epoch")
        axes.set_ylabel("validation loss")
        axes.legend(fontsize=7)
    return networks


def angle_between(q: Sequence[float], other: Sequence[float]) -> float:
    """Of two orientations, quaternions (x, y, z, w), rad."""
    return 2.0 * math.acos(min(1.0, abs(float(np.dot(q, other)))))


def compare_throws(model: Any, simulator: Any, starts: Sequence[Tuple[Any, Any]], truths: Sequence[Dict[str, Any]], steps: int) -> Dict[str, Any]:
    """Errors of a simulator's throws against the truth, by throw; and its tracks."""
    position, orientation, impulse, tracks = [], [], [], []
    for (q, v), truth in zip(starts, truths):
        track = simulator.track(q, v, steps)
        tracks.append(track)
        position.append(float(np.linalg.norm(track["q"][-1, :2] - truth["q"][-1, :2])))
        orientation.append(angle_between(track["q"][-1, 3:7], truth["q"][-1, 3:7]))
        first = first_impulse_step(truth)
        impulse.append(float(np.linalg.norm(track["impulse"][first] - truth["impulse"][first])))
    return {"position": np.array(position), "orientation": np.array(orientation), "impulse": np.array(impulse), "tracks": tracks}


def first_impulse_step(track: Dict[str, Any]) -> int:
    return int(np.argmax(np.linalg.norm(track["impulse"], axis=1) > 0.0))


def means_of_truth(starts: Sequence[Tuple[Any, Any]], truths: Sequence[Dict[str, Any]]) -> Tuple[float, float, float]:
    """Mean horizontal way, turn against the start, and size of the first impulse."""
    way = np.mean([np.linalg.norm(truth["q"][-1, :2] - q[:2]) for (q, _), truth in zip(starts, truths)])
    turn = np.mean([angle_between(truth["q"][-1, 3:7], q[3:7]) for (q, _), truth in zip(starts, truths)])
    first = np.mean([np.linalg.norm(truth["impulse"][first_impulse_step(truth)]) for truth in truths])
    return float(way), float(turn), float(first)


def box_labels(half_size: Sequence[float]) -> Dict[int, List[Tuple[str, np.ndarray]]]:
    """Corners 1 to 8, edges a to l, faces A to F of a box: by dimension of the patch, with where their middle is."""
    h = np.asarray(half_size)
    signs = [np.array(s, float) for s in itertools.product((-1, 0, 1), repeat=3)]
    found: Dict[int, List[Tuple[str, np.ndarray]]] = {0: [], 1: [], 2: []}
    for sign in signs:
        dimension = int(np.sum(sign == 0))
        if dimension > 2:
            continue
        names = ("12345678", "abcdefghijkl", "ABCDEF")[dimension]
        found[dimension].append((names[len(found[dimension])], sign * h))
    return found


def events(track: Dict[str, Any], half_size: Sequence[float]) -> str:
    """The patches that a throw comes to rest on and rolls over, as the paper's figure 6 writes them: no repetitions."""
    labels = box_labels(half_size)
    text = ""
    for dimension, center in zip(track["dimension"], track["center"]):
        if dimension < 0:
            continue
        name = min(labels[dimension], key=lambda entry: float(np.linalg.norm(entry[1] - center)))[0]
        if not text.endswith(name):
            text += name
    return text
