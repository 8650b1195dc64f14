"""A walking controller of ours for quadrupeds such as Solo-12: predictive control of one rigid body, footholds, whole-body dynamics.

    simulator = stiction.Simulator(solo12.world(friction=0.9), dt=1e-3)
    walker = Walker(simulator)
    walker.command(vx=0.3)
    for _ in range(5000):
        simulator.set_control(walker.control())
        simulator.step()

docs/walking.md is the guide. In the order of a control step: `sensing` measures, `gait` says who stands, `ground` where the terrain
is, `footholds` where feet land, `single_rigid_body` which forces carry the body along, `whole_body` which torques do that.
"""

from .footholds import FootholdSettings, foothold, swing_path
from .gait import Gait
from .ground import GroundEstimate
from .quadratic_program import QuadraticProgram
from .single_rigid_body import BodyState, Prediction, PredictionSettings, SingleRigidBody
from .walker import Walker, WalkerSettings
from .whole_body import WholeBody, WholeBodySettings

__all__ = [
    "BodyState",
    "FootholdSettings",
    "Gait",
    "GroundEstimate",
    "Prediction",
    "PredictionSettings",
    "QuadraticProgram",
    "SingleRigidBody",
    "Walker",
    "WalkerSettings",
    "WholeBody",
    "WholeBodySettings",
    "foothold",
    "swing_path",
]
