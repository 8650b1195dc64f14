#!/usr/bin/env python3
"""How large pages of recordings are, and how long a random seek in one takes.

    .venv/bin/python bench/pages.py                  everything; needs node, its packages (npm ci --prefix viewer) and Chromium
    .venv/bin/python bench/pages.py --scenes humanoid --steps 1000
    bench/results.py pages --title "Pages of recordings" -- .venv/bin/python bench/pages.py

Three recordings of 10 000 steps: MuJoCo's humanoid falls and lies; it kicks under random controls; 100 boxes fall into a heap. In the page of the
boxes 200 random steps are gone to, half of them backwards: time from the call until the frame is drawn into the scene (not until the screen shows it).
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
MOST_MEGABYTES, MOST_MILLISECONDS = 20.0, 50.0  # targets: of the humanoid's pages, of the median seek


def humanoid(kicks):
    import stiction

    simulator = stiction.Simulator(stiction.load(ROOT / "scenes" / "humanoid" / "humanoid.xml").model)
    rng, controls = np.random.default_rng(1), simulator.model.num_actuators

    def before_step(k):
        if kicks and k % 20 == 0:
            simulator.set_control(rng.uniform(-1.0, 1.0, controls))

    return simulator, before_step


def boxes():
    import stiction

    rng = np.random.default_rng(1)
    builder = stiction.ModelBuilder()
    builder.add_shape(stiction.Plane(), friction=0.6)
    for k in range(100):
        place = np.array([k % 5 - 2, k // 5 % 5 - 2, 0]) * 0.24 + rng.uniform(-0.01, 0.01, 3) + [0, 0, 0.35 + 0.2 * (k // 25)]
        turn = rng.normal(size=4) * [0.1, 0.1, 0.3, 0] + [0, 0, 0, 1]
        body = builder.add_body(position=place, orientation=turn / np.linalg.norm(turn))
        builder.add_shape(body, stiction.Box(rng.uniform(0.04, 0.08, 3)), density=500, friction=0.6)
    return stiction.Simulator(builder.build(), dt=1 / 240), lambda k: None


SCENES = {"humanoid-falls": lambda: humanoid(False), "humanoid-kicks": lambda: humanoid(True), "boxes": boxes}


def save(name, steps, folder):
    import stiction

    simulator, before_step = SCENES[name]()
    with stiction.record(simulator, folder / f"{name}.h5") as writer:
        for k in range(steps):
            before_step(k)
            writer.step()
    page = folder / f"{name}.html"
    stiction.Recording(folder / f"{name}.h5").save_page(page)
    return page, len(simulator.contacts())


def seeks(page, count):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if shutil.which("node") is None or chromium is None:
        sys.exit("node or Chromium is missing: --scenes humanoid measures sizes alone")
    done = subprocess.run(["node", ROOT / "bench" / "page_seeks.mjs", page, chromium, str(count)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", default="", help="comma-separated beginnings of: " + ", ".join(SCENES))
    parser.add_argument("--steps", type=int, default=10000)
    parser.add_argument("--seeks", type=int, default=200)
    arguments = parser.parse_args()
    wanted = [name for name in SCENES if any(name.startswith(part) for part in arguments.scenes.split(","))]
    if not wanted:
        parser.error(f"no scene begins with '{arguments.scenes}'; there are {', '.join(SCENES)}")
    print("| recording | steps | contacts at the end | page, MB | target |\n| --- | --- | --- | --- | --- |", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        pages = {}
        for name in wanted:
            print(f"{name} …", file=sys.stderr, flush=True)
            pages[name], contacts = save(name, arguments.steps, Path(folder))
            size = pages[name].stat().st_size / 1e6
            verdict = "" if name == "boxes" else f"{'reached' if size <= MOST_MEGABYTES else 'NOT REACHED'}: ≤ {MOST_MEGABYTES:g} MB"
            print(f"| {name} | {arguments.steps} | {contacts} | {size:.2f} | {verdict} |", flush=True)
        if "boxes" in pages:
            found = seeks(pages["boxes"], arguments.seeks)
            times = [seek["ms"] for seek in found]
            back = [seek["ms"] for seek in found if seek["to"] < seek["from"]]
            median = statistics.median(times)
            verdict = "reached" if median <= MOST_MILLISECONDS else "NOT REACHED"
            print("\n| seeks in the boxes | median, ms | backwards | 95 % | blocks unpacked | target |\n| --- | --- | --- | --- | --- | --- |")
            print(f"| {len(times)} | {median:.1f} | {statistics.median(back):.1f} of {len(back)} | {np.percentile(times, 95):.1f} | "
                  f"{sum(seek['unpacked'] for seek in found)}, at most {max(seek['unpacked'] for seek in found)} in one | "
                  f"{verdict}: median ≤ {MOST_MILLISECONDS:g} ms |")  # fmt: skip


if __name__ == "__main__":
    main()
