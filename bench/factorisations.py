"""The factorisation table of the ADMM paper: how often a penalty rule makes `ncp-admm` factor G + R + (eta + rho) I.

Linear rule: rho is multiplied or divided by tau. Spectral rule: rho = sqrt(m L) (L/m)^p, p moves by p_step.
"""

import csv

LINEAR = [{"penalty_linear": True, "tau": tau} for tau in (2, 4, 8, 16)]
SPECTRAL = [{"penalty_linear": False, "p_step": step} for step in (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08)]


def describe(rule):
    return f"linear tau {rule['tau']}" if rule["penalty_linear"] else f"spectral p {rule['p_step']:.2f}"


def factorisation_table(paths, out, target=1e-6, max_iterations=20000):
    import stiction

    problems = [stiction.read_fclib(path).problem for path in paths]
    rows = []
    for rule in LINEAR + SPECTRAL:
        factorisations, iterations = [], []
        for problem in problems:
            solver = stiction.make_solver(
                "ncp-admm", tolerance=target, use_relative=True, max_iterations=max_iterations, **rule
            )
            solution = stiction.ContactSolution()
            report = solver.solve(problem, solution)
            if stiction.judge(problem, solution.impulse).eps_rel <= target:
                factorisations.append(report.factorisations)
                iterations.append(report.iterations)
        n = max(1, len(factorisations))
        rows.append(
            dict(
                rule=describe(rule),
                solved=len(factorisations),
                problems=len(problems),
                mean_factorisations=round(sum(factorisations) / n, 2),
                most_factorisations=max(factorisations, default=0),
                mean_iterations=round(sum(iterations) / n, 1),
            )
        )
    with open(out, "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    print(f"\nncp-admm at eps_rel <= {target:g}: factorisations by penalty rule, over the problems solved")
    print(f"{'rule':18s} {'solved':>8s} {'mean':>7s} {'most':>6s} {'iterations':>11s}")
    for row in rows:
        print(f"{row['rule']:18s} {row['solved']:4d}/{row['problems']:<3d} {row['mean_factorisations']:7.2f} "
              f"{row['most_factorisations']:6d} {row['mean_iterations']:11.1f}")  # fmt: skip
