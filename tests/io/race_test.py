#!/usr/bin/env python3
"""Two processes begin one recording at the same moment, fifty times: one wins, the other is told so, no step is lost.

    race_test.py WORKER [ROUNDS]      WORKER: the executable record_worker

In every third round the winner is killed while it holds the file, and a third process must be able to take its place.
"""

import os
import random
import subprocess
import sys
import tempfile
import time


def begin(worker, path):
    process = subprocess.Popen([worker, "race", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


def tell(process):
    process.stdin.write("go\n")
    process.stdin.flush()


def finish(worker, winner, path, where):
    tell(winner)
    answer = winner.stdout.readline()
    assert answer == "done\n", f"{where}: the winner says {answer}"
    winner.wait()
    check = subprocess.run([worker, "check", path, "0"], capture_output=True, text=True)
    assert check.returncode == 0 and check.stdout == "30\n", f"{where}: {check.stdout}{check.stderr}"


def main():
    worker, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 50
    moments, wins = random.Random(1), [0, 0]
    with tempfile.TemporaryDirectory() as folder:
        path, link = os.path.join(folder, "run.h5"), os.path.join(folder, "link.h5")
        os.symlink("run.h5", link)
        for k in range(rounds):
            where = f"round {k}"
            if k % 2 == 0 and os.path.exists(path):
                os.remove(path)  # half of the rounds begin a new file, half write over one
            pair = [begin(worker, path), begin(worker, link if k % 4 == 3 else path)]
            first = moments.randrange(2)
            tell(pair[first])
            time.sleep(moments.uniform(0.0, 2e-3))
            tell(pair[1 - first])
            answers = [process.stdout.readline() for process in pair]
            won = [i for i, answer in enumerate(answers) if answer == "won\n"]
            assert len(won) == 1, f"{where}: {answers}"
            assert "another process" in answers[1 - won[0]] and ".h5" in answers[1 - won[0]], f"{where}: {answers}"
            wins[won[0]] += 1
            pair[1 - won[0]].wait()
            winner = pair[won[0]]
            if k % 3 == 2:
                winner.kill()
                winner.wait()
                winner = begin(worker, path)
                tell(winner)
                assert winner.stdout.readline() == "won\n", f"{where}: the lock outlived its process"
            finish(worker, winner, path, where)
            left = sorted(os.listdir(folder))
            assert left == ["link.h5", "run.h5"], f"{where}: left behind {left}"
            assert os.path.islink(link), f"{where}: the link was replaced"
    print(f"{rounds} rounds, won {wins[0]} to {wins[1]}, no step lost")


if __name__ == "__main__":
    main()
