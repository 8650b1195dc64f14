"""What each contact model relaxes, measured: the table of docs/models.md.

    python docs/measure_models.py

A cube of 1 kg and edge 1 m with its centre off the middle (so that normal and tangential motion couple) slides over the
ground and lands on its four corners; mu = 0.5. One solver per model, asked for 1e-10; the judge then says what the
impulse breaks of the exact law, in physical units.
"""

import numpy as np

import stiction

SOLVERS = ["auto", "ncp-gs", "ncp-admm", "raisim-ds", "ccp-admm", "ccp-newton", "lcp-pgs", "lcp-anitescu-potra", "raisim",
           "max-dissipation", "lcp-dantzig"]  # fmt: skip


def sliding_cube():
    centre_offset = np.array([0.15, 0.1, 0.0])
    corners = [np.array([x, y, -0.5]) - centre_offset for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
    jacobian = np.vstack([np.hstack([np.eye(3), -cross(corner)]) for corner in corners])
    inertia = np.diag([1.0, 1.0, 1.0, 1 / 6, 1 / 6, 1 / 6])
    velocity = np.array([1.0, 0.5, -0.5, 0.0, 0.0, 0.6])  # along the ground, down, and turning about the vertical
    return jacobian @ np.linalg.solve(inertia, jacobian.T), jacobian @ velocity


def cross(p):
    return np.array([[0.0, -p[2], p[1]], [p[2], 0.0, -p[0]], [-p[1], p[0], 0.0]])


def main():
    G, g = sliding_cube()
    print("| solver | model | own ε_nat | Signorini \\|λ_N σ_N\\|, J | penetration, m/s | Coulomb, N·s "
          "| dissipation, N·s | separation, m/s |")  # fmt: skip
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in SOLVERS:
        if name not in stiction.solver_names():
            print(f"| `{name}` | not available | | | | | | |")
            continue
        result = stiction.solve(G, g, 0.5, solver=name, tolerance=1e-10, max_iterations=100000)
        exact = stiction.residuals(G, g, 0.5, result.impulse)
        numbers = (result.residuals.eps_nat, exact.signorini_complementarity, exact.signorini_penetration,
                   exact.coulomb, exact.dissipation, exact.normal_separation)  # fmt: skip
        model = stiction.solver_traits(name).model.name
        print(f"| `{name}` | {model} | " + " | ".join(f"{x:.1e}" for x in numbers) + " |")


if __name__ == "__main__":
    main()
