#!/usr/bin/env python3
"""Runs a benchmark and keeps what it prints in bench/results/NAME.md, below a header that says where it comes from.

    bench/results.py NAME [--title TITLE] -- COMMAND ...
    bench/results.py mass-ratio --title "Three cubes, heavy on light" -- build/release/bench/bench_mass_ratio

The header: command, commit, CPU, compiler, date, load of the machine. Tables in Markdown stay tables, all else is shown as it was
printed. What stands below a line `<!-- kept -->` of the file that was there before, remarks by hand, stays.
"""

import argparse
import datetime
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = "<!-- kept -->"


def first_line(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.stdout.splitlines()[0].strip() if done.returncode == 0 and done.stdout else ""


def commit():
    changed = subprocess.run(["git", "status", "--porcelain", "--untracked-files=no"], cwd=ROOT, capture_output=True, text=True)
    return f"{first_line('git', 'rev-parse', '--short', 'HEAD') or 'unknown'}{', with changes' if changed.stdout.strip() else ''}"


def cpu():
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").exists() else ""
    name = re.search(r"^model name\s*:\s*(.*)$", text, re.M)
    flags = re.search(r"^flags\s*:\s*(.*)$", text, re.M)
    widest = next((n for f, n in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if flags and f in flags[1].split()), "no AVX2")
    return f"{os.cpu_count()} × {name[1] if name else 'unknown'}, {widest}"


def compiler(build):
    """The compiler and options of the build that a program of the command comes from."""
    cache = ROOT / build / "CMakeCache.txt"
    values = dict(re.findall(r"^(\w+):\w+=(.*)$", cache.read_text(encoding="utf-8"), re.M)) if cache.exists() else {}
    version = first_line(values.get("CMAKE_CXX_COMPILER", "c++"), "--version") or "unknown"
    return f"{version}; {values.get('CMAKE_BUILD_TYPE', 'build unknown')}, {values.get('STICTION_ARCH', 'architecture unknown')}"


def header(title, command, build="build/release", load=None):
    """The first lines of a page of results, for whoever writes one."""
    rows = {
        "command": f"`{shlex.join(command)}`",
        "commit": commit(),
        "CPU": cpu(),
        "compiler": compiler(build),
        "date": datetime.date.today().isoformat(),
        "load": f"{load if load is not None else os.getloadavg()[0]:.1f} running before it began",
    }
    return f"# {title}\n\n| | |\n| --- | --- |\n" + "".join(f"| {name} | {value} |\n" for name, value in rows.items())


def as_markdown(output):
    """Lines of tables as they are, everything between them as text."""
    parts = []
    for line in output.rstrip().splitlines():
        is_table = line.startswith("|")
        if not parts or parts[-1][0] != is_table:
            parts.append((is_table, []))
        parts[-1][1].append(line)
    shown = []
    for is_table, lines in parts:
        text = "\n".join(lines).strip("\n")
        if text.strip():
            shown.append(text if is_table else f"```text\n{text}\n```")
    return "\n\n".join(shown)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("--title")
    parser.add_argument("--build", default="build/release", help="whose compiler is named")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    done = subprocess.run(arguments.command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(arguments.command)} ended with {done.returncode}; nothing is written")
    path = ROOT / "bench" / "results" / f"{arguments.name}.md"
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    kept = before[before.index(KEPT) :] if KEPT in before else ""
    text = header(arguments.title or arguments.name, arguments.command, arguments.build, load) + "\n" + as_markdown(done.stdout) + "\n"
    path.write_text(text + (f"\n{kept}" if kept else ""), encoding="utf-8")
    print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
