"""Performance profiles of Dolan and More: the share of problems that a solver solves within a factor of the fastest."""

import math

import numpy as np


def profile(times, name, factors):
    """times: contestant -> problem -> seconds (infinite where it failed)."""
    problems = sorted(times[name])
    fastest = {p: min(t[p] for t in times.values()) for p in problems}
    ratios = np.array([times[name][p] / fastest[p] if math.isfinite(times[name][p]) else np.inf for p in problems])
    return [(ratios <= factor).mean() for factor in factors]


def draw_profiles(times_by_target, out):
    try:
        import matplotlib
    except ImportError:
        print("MISSING: matplotlib; no profile drawn")
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    factors = np.logspace(0, 4, 400)
    colours = {"stiction": "tab:red", "pinocchio": "tab:blue", "siconos": "tab:green"}
    styles = ["-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1))]
    figure, axes = plt.subplots(1, len(times_by_target), figsize=(6.0 * len(times_by_target) + 2.0, 4.8), squeeze=False)
    for axis, (target, times) in zip(axes[0], times_by_target.items()):
        drawn = {}
        for name in times:
            library = name.split()[0]
            style = styles[drawn.setdefault(library, 0) % len(styles)]
            drawn[library] += 1
            axis.step(factors, profile(times, name, factors), where="post", label=name, color=colours.get(library), linestyle=style)
        axis.set_xscale("log")
        axis.set_ylim(-0.02, 1.02)
        axis.set_xlabel("CPU time over that of the fastest contestant")
        axis.set_ylabel("share of problems solved within it")
        count = len(next(iter(times.values())))
        axis.set_title(f"{count} FCLIB problems, $\\varepsilon_{{rel}} \\leq$ {target:g}")
        axis.grid(alpha=0.3)
    axes[0][-1].legend(fontsize=8, loc="center left", bbox_to_anchor=(1.02, 0.5))
    figure.tight_layout()
    figure.savefig(out, dpi=110)
    print(f"profile: {out}")
