#!/usr/bin/env python3
"""What calling from Python costs: single step() calls against step(n), which loops in C++.

    python bench/python_overhead.py [--steps N] [--rounds N] [--json]

CPU times. Both run the same world from the same state, one after the other in every round, so that the drift of a
machine meets both; the best round of each counts. Then what a control loop asks for between steps.
"""

import argparse
import json
import time

import numpy as np

import stiction


def resting_box():
    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane(), friction=0.5)
    body = builder.add_body(name="box", position=(0, 0, 0.1))
    builder.add_shape(body, stiction.Box((0.1, 0.1, 0.1)), density=1000, friction=0.5)
    return builder.build()


def flying_ball():
    builder = stiction.ModelBuilder()
    builder.set_gravity((0, 0, 0))
    builder.add_body(name="ball", inertia=stiction.Inertia.of(stiction.Sphere(0.1), 1.0))
    return builder.build()


def seconds(call, *arguments):
    start = time.thread_time()
    call(*arguments)
    return time.thread_time() - start


def one_by_one(step, count):
    for _ in range(count):
        step()


def steps_of(model, count, rounds):
    """Microseconds a step: in one call, and in calls of their own."""
    simulator = stiction.Simulator(model, dt=1e-3)
    simulator.step(100)
    start = simulator.state
    together, single = [], []
    for _ in range(rounds):
        simulator.set_state(start)
        together.append(seconds(simulator.step, count))
        simulator.set_state(start)
        single.append(seconds(one_by_one, simulator.step, count))
    empty = min(seconds(one_by_one, lambda: None, count) for _ in range(rounds))
    return {
        "step(n) in C++": 1e6 * min(together) / count,
        "step() from Python": 1e6 * min(single) / count,
        "difference": 1e6 * (min(single) - min(together)) / count,
        "an empty Python function": 1e6 * empty / count,
    }


def calls_of(model, count, rounds):
    """Microseconds of what stands between steps."""
    simulator = stiction.Simulator(model, dt=1e-3)
    simulator.step(100)
    force = np.zeros(model.num_velocities)
    calls = {
        "q": lambda: simulator.q,
        "state": lambda: simulator.state,
        "report": lambda: simulator.report,
        "set_joint_force(array)": lambda: simulator.set_joint_force(force),
        "body_pose(name)": lambda: simulator.body_pose("box"),
        "contacts(), 4 of them": simulator.contacts,
        "contact_arrays()": simulator.contact_arrays,
        "inertia_matrix()": simulator.inertia_matrix,
    }
    return {name: 1e6 * min(seconds(one_by_one, call, count) for _ in range(rounds)) / count for name, call in calls.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--steps", type=int, default=5000, help="per round; default %(default)s")
    parser.add_argument("--rounds", type=int, default=40, help="default %(default)s")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    results = {
        "flying ball, us a step": steps_of(flying_ball(), arguments.steps, arguments.rounds),
        "resting box, 4 contacts, us a step": steps_of(resting_box(), arguments.steps, arguments.rounds),
        "other calls, us": calls_of(resting_box(), arguments.steps, arguments.rounds),
    }
    if arguments.json:
        print(json.dumps(results, indent=1))
        return
    for title, rows in results.items():
        print(title)
        for name, value in rows.items():
            print(f"  {name:28}{value:8.3f}")


if __name__ == "__main__":
    main()
