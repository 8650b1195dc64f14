"""Fits models to recorded motion: `docs/fitting.md` tells how.

    tosses = read_csv("tosses.csv.gz")
    flight = fit_flight(tosses, rows=12)                       # centre of mass and gravity, without any contact model
    parameters = [CenterOfMass("cube", flight.com, frozen=True), Friction(["board", "cube"], 0.3), Restitution("cube")]
    result = fit(model, parameters, RolloutResiduals(tosses, piece_rows=20))
    print(result)
    save_report("fit.html", result, tosses)

Needs SciPy, and matplotlib for reports (the extra `experiments`).
"""

from .confidence import Confidence, confidence
from .fitting import FitResult, fit, folds
from .flight import FlightFit, fit_flight, rows_in_flight, suspected_units
from .measures import Score, TossError, angle_between, toss_error, upper_face
from .minimise import Minimum, cma_es, nelder_mead
from .parameters import (
    CenterOfMass,
    Compliance,
    CornerRounding,
    Custom,
    Damping,
    Edits,
    Friction,
    GravityDirection,
    GravitySize,
    Inertia,
    InertiaLogCholesky,
    JointArmature,
    JointDamping,
    JointFriction,
    Mass,
    Parameter,
    Restitution,
    RollingFriction,
    ShapeSize,
    TorsionalFriction,
    add_rounded_box,
    apply,
    pack,
    unpack,
)
from .report import save_report
from .rollout import RolloutResiduals, Rollouts
from .trajectories import Trajectory, read_csv, read_recording

__all__ = [
    "CenterOfMass", "Compliance", "Confidence", "CornerRounding", "Custom", "Damping", "Edits", "FitResult", "FlightFit",
    "Friction", "GravityDirection", "GravitySize", "Inertia", "InertiaLogCholesky", "JointArmature", "JointDamping",
    "JointFriction", "Mass", "Minimum", "Parameter", "Restitution", "RollingFriction", "RolloutResiduals", "Rollouts", "Score",
    "ShapeSize", "TorsionalFriction", "TossError", "Trajectory", "add_rounded_box", "angle_between", "apply", "cma_es",
    "confidence", "fit", "fit_flight", "folds", "nelder_mead", "pack", "read_csv", "read_recording", "rows_in_flight", "save_report", "suspected_units",
    "toss_error", "unpack", "upper_face",
]  # fmt: skip
