"""A brick thrown with a spin, in empty space: after ten seconds, how much of its energy is still there?

All of it should be. An explicit gyroscopic term adds some in every step, until nothing is a number any more. Beside ours
MuJoCo, where it is installed, with its default integrator and with its implicit one.
"""

import stiction

try:
    import mujoco
except ImportError:
    mujoco = None

HALF_SIZE = (0.02, 0.1, 0.2)  # m
SECONDS = 10.0


def of_stiction(spin, dt):
    builder = stiction.ModelBuilder()
    builder.set_gravity((0, 0, 0))
    brick = builder.add_body(name="brick")
    builder.add_shape(brick, stiction.Box(HALF_SIZE), mass=1.0)
    simulator = stiction.Simulator(builder.build(), dt=dt)
    simulator.set_velocity([0, 0, 0, *spin])
    start = simulator.kinetic_energy()
    simulator.step(round(SECONDS / dt))
    return f"{simulator.kinetic_energy() / start:.12f}"


def of_mujoco(spin, dt, integrator):
    size = " ".join(map(str, HALF_SIZE))
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{dt}" gravity="0 0 0" integrator="{integrator}"><flag energy="enable"/></option>'
        f'<worldbody><body><freejoint/><geom type="box" size="{size}" mass="1"/></body></worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    data.qvel[3:] = spin
    mujoco.mj_forward(model, data)
    start = data.energy[1]
    for k in range(round(SECONDS / dt)):
        mujoco.mj_step(model, data)
        if data.warning[mujoco.mjtWarning.mjWARN_BADQVEL].number or data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number:
            return f"overflows at {k * dt:.1f} s"
    mujoco.mj_forward(model, data)
    return f"{data.energy[1] / start:.6f}"


def main():
    engines = {"stiction": of_stiction}
    if mujoco:
        mujoco.set_mju_user_warning(lambda text: None)  # overflows are told in the table
        engines["MuJoCo Euler"] = lambda spin, dt: of_mujoco(spin, dt, "Euler")
        engines["MuJoCo implicit"] = lambda spin, dt: of_mujoco(spin, dt, "implicit")
    print(f"energy after {SECONDS:g} s, relative to the start")
    print(f"{'rad/s':>14} {'dt':>6}  " + "  ".join(f"{name:>18}" for name in engines))
    for spin in ((3, 0.3, 0.1), (10, 1, 0.3), (30, 3, 1)):
        for dt in (1e-3, 5e-3):
            values = "  ".join(f"{of(spin, dt):>18}" for of in engines.values())
            print(f"{'(%g, %g, %g)' % spin:>14} {dt * 1e3:3g} ms  {values}")


if __name__ == "__main__":
    main()
