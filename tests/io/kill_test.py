#!/usr/bin/env python3
"""Kills a recording process fifty times, each time at a random moment.

    kill_test.py WORKER [ROUNDS]      WORKER: the executable record_worker

After every kill the file must be readable up to its last complete block, hold no step less than before, and each new step must
be, bit for bit, what a simulation that was never killed gives. The next round goes on with the file. Where h5py is installed it
reads the file too.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile

try:
    import h5py
except ImportError:
    h5py = None


def look_with_h5py(path, steps):
    with h5py.File(path, "r") as file:
        n = int(file["num_steps"][0])
        assert n == steps, f"h5py sees {n} steps"
        times = file["time"][:n]
        assert (times[1:] > times[:-1]).all()
        assert file["q"].shape[0] >= n


def main():
    worker, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 50
    moments = random.Random(1)
    steps, with_file = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.h5")
        for k in range(rounds):
            # Some before it is ready, so that beginning and going on are met too; most while it records.
            process = subprocess.Popen([worker, "run", path], stdout=subprocess.PIPE)
            early = k % 5 == 4 or k == 0
            if not early:
                assert process.stdout.readline() == b"recording\n", f"round {k}: {process.stdout.read()}"
            try:
                process.wait(moments.uniform(0.0, 0.05 if early else 0.3))
                sys.exit(f"round {k}: the worker ended by itself: {process.stdout.read().decode()}")
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
            if not os.path.exists(path):
                assert steps == 0, f"round {k}: the file is gone"
                continue
            with_file += 1
            check = subprocess.run([worker, "check", path, str(steps)], capture_output=True, text=True)
            if check.returncode != 0:
                sys.exit(f"round {k}: {check.stdout}{check.stderr}")
            steps = int(check.stdout)
            if h5py:
                look_with_h5py(path, steps)
        check = subprocess.run([worker, "check", path, "0"], capture_output=True, text=True)
        if check.returncode != 0:
            sys.exit(f"at the end: {check.stdout}{check.stderr}")
    assert with_file > rounds / 2 and steps > 0
    print(f"killed {rounds} times; {steps} steps recorded, all as if never killed"
          f"{'; h5py agrees' if h5py else ' (h5py is not installed)'}")


if __name__ == "__main__":
    main()
