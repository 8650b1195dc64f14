"""Runs the solvers of one library in a process of its own, on request.

    python contestant_server.py stiction|pinocchio|siconos

Reads one JSON object per line, answers with one. Every library is timed by the same code: CPU time of the process, from
the call of the solve to its return, from a cold start. Solver objects are made before the clock starts and, unless FRESH is in
the environment, have solved another problem of this size: the same one with its contacts in reverse order and other
velocities. So memory is allocated, as in a running simulation, but nothing that was learnt fits.

    {"load": "problem.npz", "text": "problem.dat"}                  -> {}
    {"solver": name, "tolerance": t, "max_iterations": n, "solves": k, "options": {...}}
        -> {"seconds": mean of the quickest twentieth of k solves, "iterations", "factorisations", "claims": bool, "impulse": [...]}

A problem is (W, q, mu) scaled to max diag W = 1 and max |q| = 1, rows (t1, t2, n).
"""

import json
import os
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

FRESH = bool(os.environ.get("FRESH"))


def backwards(W, data):
    """(W, q, mu) with the contacts in reverse order and other velocities."""
    order = np.arange(data["q"].size).reshape(-1, 3)[::-1].ravel()
    return W[order][:, order], data["q"][order] * np.linspace(0.5, 0.9, order.size), data["mu"][::-1]


class Stiction:
    def __init__(self):
        import stiction

        self.stiction = stiction
        self.version = stiction.__version__
        self.solvers = stiction.solver_names()

    def load(self, data, text):
        import scipy.sparse as sp

        W = sp.csr_matrix((data["values"], data["columns"], data["begin"]))
        self.problem = self.stiction.make_problem(W, data["q"], data["mu"])
        self.other = self.stiction.make_problem(*backwards(W, data))

    def make_solver(self, name, tolerance, max_iterations, options):
        solver = self.stiction.make_solver(
            name, tolerance=tolerance, use_relative=True, max_iterations=max_iterations, **options
        )
        if not FRESH:
            solver.solve(self.other, self.stiction.ContactSolution())
        return solver

    def make_job(self, solver):
        solution = self.stiction.ContactSolution()

        def finish(report):
            return report.iterations, report.factorisations, report.converged, solution.impulse

        return lambda: solver.solve(self.problem, solution), finish


class Pinocchio:
    """Proximal ADMM on the symmetric part of W, which is all that it can factor. Lanczos is held at ten steps: its default,
    one per row, would dominate the larger problems."""

    solvers = ["dense", "sparse", "dense-anderson", "sparse-anderson", "dense-spectral", "sparse-spectral"]

    def __init__(self):
        import pinocchio

        self.pin = pinocchio
        self.version = pinocchio.__version__

    def load(self, data, text):
        import scipy.sparse as sp

        W = sp.csr_matrix((data["values"], data["columns"], data["begin"]))
        self.sparse = sp.csc_matrix(0.5 * (W + W.T))
        self.dense = np.asfortranarray(self.sparse.toarray())
        self.q = np.array(data["q"])
        pin = self.pin
        # Two iterations allocate all that the solver object keeps.
        other, self.other_q, _ = backwards(self.sparse.tocsr(), data)
        self.other = pin.DelassusOperatorSparse(sp.csc_matrix(other))
        self.short = pin.ADMMSolverSettings()
        self.short.max_iterations, self.short.lanczos_size = 2, min(10, self.q.size)
        model = pin.Model()
        joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "body")
        model.appendBodyToJoint(joint, pin.Inertia.Random(), pin.SE3.Identity())
        self.models, self.datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
        for mu in data["mu"]:
            contact = pin.PointContactConstraintModel(model, joint)
            contact.setFriction(float(mu))
            self.models.append(pin.ConstraintModel(contact))
            self.datas.append(self.models[len(self.models) - 1].createData())

    def make_solver(self, name, tolerance, max_iterations, options):
        pin = self.pin
        settings = pin.ADMMSolverSettings()
        settings.max_iterations = max_iterations
        settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = tolerance
        settings.relative_feasibility_tol = settings.relative_complementarity_tol = 0.0
        settings.lanczos_size = min(10, self.q.size)
        settings.solve_ncp = True
        if name.endswith("anderson"):
            settings.anderson_capacity = 10
        if name.endswith("spectral"):
            settings.admm_update_rule = pin.ADMMUpdateRule.SPECTRAL
        solver = pin.ADMMConstraintSolver()
        if not FRESH:
            solver.solve(self.other, self.other_q, self.models, self.datas, self.short, pin.ADMMSolverResult())
        return name, settings, solver

    def make_job(self, tools):
        pin = self.pin
        name, settings, solver = tools
        if name.startswith("sparse"):
            delassus = pin.DelassusOperatorSparse(self.sparse)
        else:
            delassus = pin.DelassusOperatorDense(self.dense)
        result = pin.ADMMSolverResult()

        def finish(converged):
            impulse = np.array(result.retrieveConstraintImpulses())
            return result.iterations, result.delassus_decomposition_update_count, bool(converged), impulse

        return lambda: solver.solve(delassus, self.q, self.models, self.datas, settings, result), finish


class Siconos:
    """Friction solvers of Siconos on W as published; its rows are (n, t1, t2). They keep no memory between calls."""

    solvers = ["nsgs", "nsn-ac", "admm", "admm-balanced"]

    def __init__(self):
        import siconos.numerics

        self.numerics = siconos.numerics
        self.version = "of Debian"
        siconos.numerics.numerics_set_verbose(0)

    def load(self, data, text):
        self.text = text
        self.order = np.arange(data["q"].size).reshape(-1, 3)[:, [2, 0, 1]].ravel()

    def make_solver(self, name, tolerance, max_iterations, options):
        sn = self.numerics
        identity = {
            "nsgs": sn.SICONOS_FRICTION_3D_NSGS,
            "nsn-ac": sn.SICONOS_FRICTION_3D_NSN_AC,
            "admm": sn.SICONOS_FRICTION_3D_ADMM,
            "admm-balanced": sn.SICONOS_FRICTION_3D_ADMM,
        }[name]
        settings = sn.SolverOptions(identity)
        if name == "admm-balanced":
            strategy = sn.SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING
            settings.iparam[sn.SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] = strategy
        settings.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
        settings.iparam[sn.SICONOS_IPARAM_MAX_ITER] = max_iterations
        return settings, sn.frictionContact_new_from_filename(self.text)

    def make_job(self, tools):
        sn = self.numerics
        settings, problem = tools
        reaction, velocity = np.zeros(self.order.size), np.zeros(self.order.size)

        def finish(info):
            impulse = np.empty_like(reaction)
            impulse[self.order] = reaction
            return int(settings.iparam[sn.SICONOS_IPARAM_ITER_DONE]), -1, info == 0, impulse

        return lambda: sn.fc3d_driver(problem, reaction, velocity, settings), finish


def answer(contestant, request):
    if "load" in request:
        with np.load(request["load"]) as data:
            contestant.load(dict(data), request["text"])
        return {}
    arguments = [request[key] for key in ("solver", "tolerance", "max_iterations", "options")]
    # Short solves (many per request) are timed in batches that share a solver object, as the steps of a simulation do, and
    # the quickest batch counts: other work on the machine only ever adds time.
    batch = max(1, request["solves"] // 20)
    seconds = float("inf")
    for _ in range(request["solves"] // batch):
        shared = contestant.make_solver(*arguments)
        jobs = [contestant.make_job(contestant.make_solver(*arguments) if FRESH else shared) for _ in range(batch)]
        runs = [run for run, _ in jobs]
        start = time.process_time_ns()
        for run in runs:
            outcome = run()
        seconds = min(seconds, (time.process_time_ns() - start) * 1e-9 / batch)
    iterations, factorisations, claims, impulse = jobs[-1][1](outcome)
    return {
        "seconds": seconds,
        "iterations": int(iterations),
        "factorisations": int(factorisations),
        "claims": bool(claims),
        "impulse": [float(x) for x in impulse],
    }


def main():
    # What the libraries print must not reach the answers.
    answers = os.fdopen(os.dup(1), "w")
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)

    def say(text):
        answers.write(json.dumps(text) + "\n")
        answers.flush()

    try:
        contestant = {"stiction": Stiction, "pinocchio": Pinocchio, "siconos": Siconos}[sys.argv[1]]()
    except Exception as error:
        say({"failure": f"{type(error).__name__}: {error}"})
        return
    say({"version": contestant.version, "solvers": list(contestant.solvers)})
    for line in sys.stdin:
        try:
            say(answer(contestant, json.loads(line)))
        except Exception as error:
            say({"failure": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
