"""Cubes of 1 kg, 1 t and 1000 t on top of each other, stepped with different contact solvers for a second.

Heavy on light is where iterative solvers give up; the certificate of every step says so.
"""

import stiction

SOLVERS = ("auto", "ncp-admm", "ccp-newton", "ncp-gs", "ncp-pgs")


def stack():
    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane(), friction=0.5)
    for k, mass in enumerate((1.0, 1e3, 1e6)):
        cube = builder.add_body(name=f"cube {mass:g} kg", position=(0, 0, 0.1 + 0.2 * k))
        builder.add_shape(cube, stiction.Box((0.1, 0.1, 0.1)), mass=mass, friction=0.5)
    return builder.build()


def main():
    model = stack()
    print(f"{'solver':12} {'steps':>6} {'certified':>10} {'worst residual':>15} {'lowest cube moved':>18}")
    for name in SOLVERS:
        simulator = stiction.Simulator(model, dt=1e-3, solver=name, tolerance=1e-8)
        steps = 1000
        simulator.step(steps)
        moved = abs(simulator.q[2] - 0.1)
        certified = steps - simulator.num_uncertified_steps
        print(f"{name:12} {steps:6} {certified:10} {simulator.worst_residual:15.1e} {moved * 1e3:15.6f} mm")


if __name__ == "__main__":
    main()
