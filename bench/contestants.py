"""The libraries that take part, each in a process of its own (contestant_server.py)."""

import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import time

import numpy as np

SERVER = pathlib.Path(__file__).with_name("contestant_server.py")


class Missing(Exception):
    """A library that is not installed."""


class Library:
    """One process; killed and started again when it takes too long or dies."""

    def __init__(self, name, python, fresh):
        self.name, self.python = name, python
        self.environment = dict(os.environ, FRESH="1" if fresh else "")
        self.loaded = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.python, str(SERVER), self.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=self.environment,
        )
        self.unread = b""
        hello = self.receive(60.0)
        if "failure" in hello:
            raise Missing(f"{self.name}: {hello['failure']}")
        self.version, self.solvers = hello["version"], hello["solvers"]

    def receive(self, timeout):
        end = time.monotonic() + timeout
        while b"\n" not in self.unread:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, end - time.monotonic()))
            piece = self.process.stdout.read(1 << 20) if ready else b""
            if not piece:
                self.process.kill()
                self.process.wait()
                return {"failure": "no answer in time" if not ready else "the process died"}
            self.unread += piece
        line, self.unread = self.unread.split(b"\n", 1)
        return json.loads(line)

    def ask(self, request, timeout):
        if self.process.poll() is not None:
            self.start()
            if self.loaded:
                self.ask(self.loaded, 60.0)
        if "load" in request:
            self.loaded = request
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
        except BrokenPipeError:
            return {"failure": "the process died"}
        return self.receive(timeout)

    def close(self):
        self.process.kill()
        self.process.wait()


class StoredProblem:
    """An FCLIB problem, scaled for all contestants alike, and in the files from which they read it."""

    def __init__(self, path, folder):
        import stiction

        self.judge = stiction.judge
        self.problem = stiction.read_fclib(path, stiction.FclibGlobal.condensed).problem
        self.name = pathlib.Path(path).stem
        self.symmetric = self.problem.symmetric_part()
        self.scale_w = self.problem.largest_diagonal
        self.scale_q = self.problem.largest_free_velocity
        W = self.problem.to_sparse() / self.scale_w
        q = np.array(self.problem.free_velocity) / self.scale_q
        mu = np.array([c.friction for c in self.problem.constraints])
        W.sort_indices()
        self.load_request = {"load": str(folder / "problem.npz"), "text": str(folder / "problem.dat")}
        np.savez(self.load_request["load"], values=W.data, columns=W.indices, begin=W.indptr, q=q, mu=mu)
        write_siconos_text(self.load_request["text"], W, q, mu)

    def residuals(self, impulse):
        """(eps_rel, eps_rel of the problem with the symmetric part of W) of an impulse of the scaled problem."""
        impulse = np.asarray(impulse) * (self.scale_q / self.scale_w)
        return self.judge(self.problem, impulse).eps_rel, self.judge(self.symmetric, impulse).eps_rel


def write_siconos_text(path, W, q, mu):
    """The text form that Siconos reads: blocks of 3 x 3, columns first, rows ordered (n, t1, t2), all digits."""
    order = np.arange(q.size).reshape(-1, 3)[:, [2, 0, 1]].ravel()
    blocks = W[order][:, order].tobsr((3, 3))
    blocks.sort_indices()
    n, count = mu.size, blocks.indices.size
    ends = " ".join(str(3 * (k + 1)) for k in range(n))
    with open(path, "w") as file:
        print(3, n, 1, 3 * n, 3 * n, count, n, n, sep="\n", file=file)
        print(ends, ends, n + 1, count, sep="\n", file=file)
        print(*blocks.indptr, file=file)
        print(*blocks.indices, file=file)
        for k, block in enumerate(blocks.data):
            print(k, *(f"{x:.17e}" for x in block.T.ravel()), sep="\n", file=file)
        print(*(f"{x:.17e}" for x in q[order]), file=file)
        print(*(f"{x:.17e}" for x in mu), file=file)


class Contestant:
    """One solver of one library, and the search for the setting with which it is fastest to a residual."""

    # How much tighter or looser than the target its own tolerance may be: libraries stop on measures of their own.
    ladder = (10.0, 1.0, 0.1, 0.01, 0.001)
    most_iterations = 1000000

    def __init__(self, library, solver, budget):
        self.library, self.solver, self.budget = library, solver, budget
        self.name = f"{library.name} {solver}"
        self.ours = library.name == "stiction"

    def run(self, stored, tolerance, max_iterations, solves=1):
        request = {
            "solver": self.solver,
            "tolerance": tolerance,
            "max_iterations": max_iterations,
            "solves": solves,
            "options": {},
        }
        # By the wall clock, which a busy machine stretches; what counts is CPU time.
        result = self.library.ask(request, 10.0 * self.budget + 30.0)
        if "failure" not in result:
            eps, eps_symmetric = stored.residuals(result.pop("impulse"))
            result.update(eps=eps, eps_symmetric=eps_symmetric)
        result.update(tolerance=tolerance, max_iterations=max_iterations)
        return result

    def reached(self, result, target):
        """Peers that solve the symmetric part are judged by it where that is kinder."""
        if "failure" in result:
            return False
        return (result["eps"] if self.ours else min(result["eps"], result["eps_symmetric"])) <= target

    def run_within_budget(self, stored, target, tolerance, limit):
        """Runs with more and more iterations until it ends by itself, reaches the target or has used its budget."""
        while True:
            result = self.run(stored, tolerance, limit)
            if "failure" in result or result["iterations"] < limit or self.reached(result, target):
                return result
            room = 0.9 * self.budget / max(result["seconds"], 1e-7)
            if room < 1.8 or limit >= self.most_iterations:
                return result
            # Set-up and factorisations make the first iterations dear: grow by steps.
            limit = int(min(self.most_iterations, limit * min(room, 8.0)))

    def find_setting(self, stored, target):
        """The fastest run whose residual reaches the target, or else the closest one."""
        if self.ours:
            return self.run(stored, target, 0)
        best, limit = None, 100
        for factor in self.ladder:
            result = self.run_within_budget(stored, target, target * factor, limit)
            limit = result["max_iterations"]
            at_limit = "failure" in result or result["iterations"] >= limit
            if at_limit and self.reached(result, target):
                result = self.fewer_iterations(stored, target, result)
            best = self.better(best, result, target)
            # A run into the limit will not end earlier with a tighter tolerance.
            if at_limit:
                break
        return best

    def fewer_iterations(self, stored, target, result):
        """It met the target without noticing: the smallest limit that still does, within 5 %."""
        enough, too_few = result["max_iterations"], 0
        while enough - too_few > max(1, enough // 20):
            middle = enough // 2 if too_few == 0 else (enough + too_few) // 2
            attempt = self.run(stored, result["tolerance"], middle)
            if self.reached(attempt, target):
                enough, result = middle, attempt
            else:
                too_few = middle
        return result

    def better(self, a, b, target):
        def order(result):
            reached = self.reached(result, target)
            return (not reached, result["seconds"] if reached else result.get("eps", np.inf))

        return b if a is None or order(b) < order(a) else a


def open_libraries(siconos_python, fresh=False):
    """Those that are installed, and what is said about the others."""
    libraries, missing = [], []
    for name, python in (("stiction", sys.executable), ("pinocchio", sys.executable), ("siconos", siconos_python)):
        try:
            libraries.append(Library(name, python, fresh))
        except (Missing, OSError) as error:
            missing.append(str(error))
    return libraries, missing


def work_folder():
    return tempfile.TemporaryDirectory(prefix="stiction-bench-")
