"""The public headers, by room, in the order of the data: those that the C++ reference shows."""

import re

# The order in which a reader meets them; those of the list that are not named here come after. Without a list of the build
# (cmake/public_headers.cmake) this is it.
ORDER = """
math/types.h math/pose.h math/spatial_inertia.h
contact/constraint.h contact/model.h contact/delassus.h contact/problem.h contact/judge.h contact/energy.h
contact/linear_complementarity_problem.h contact/lcp_judge.h
solvers/solver.h solvers/interrupt.h
model/geometry/shape.h model/geometry/convex_hull.h model/geometry/triangle_mesh.h model/geometry/height_field.h
model/geometry/inertia.h model/material.h model/model_builder.h model/model.h model/describe.h
dynamics/dynamics_data.h dynamics/dynamics.h dynamics/mechanics.h
collision/collider.h collision/contact_point.h collision/collision_cache.h
constraints/constraint_settings.h
sim/state.h sim/step_report.h sim/simulator.h sim/inverse_step.h sim/event_simulator.h sim/assembly.h
problem_files/fclib.h problem_files/lcp.h problem_files/sequence.h
io/load.h io/loaded_model.h io/urdf/urdf.h io/sdf/sdf.h io/mjcf/mjcf.h io/write_model.h io/written_model.h
io/recording/recording.h
"""

ROOMS = ["contact", "solvers", "model", "dynamics", "collision", "constraints", "sim", "learning", "problem_files", "io", "math"]


def public_headers(root):
    """{room: [path below stiction/]}; headers of rooms that are not known here come last."""
    listed = root / "cmake" / "public_headers.cmake"
    text = listed.read_text(encoding="utf-8") if listed.is_file() else ORDER
    names = dict.fromkeys(re.findall(r"[\w/]+\.h\b", re.sub(r"#.*", "", text).replace("stiction/", "")))
    order = {name: k for k, name in enumerate(ORDER.split())}
    found = {room: [] for room in ROOMS}
    for name in sorted(names, key=lambda name: order.get(name, len(order))):
        if not (root / "stiction" / name).is_file():
            raise SystemExit(f"{name} is listed as a public header but is not in stiction/")
        found.setdefault(name.partition("/")[0], []).append(name)
    return {room: names for room, names in found.items() if names}
