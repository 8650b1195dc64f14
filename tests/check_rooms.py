#!/usr/bin/env python3
"""Rooms include only what they may (the table in CONTRIBUTING.md), and files keep to their sizes."""

import pathlib
import re
import sys

# room: rooms it may use besides itself
ALLOWED = {
    "math": [],
    "contact": ["math"],
    "solvers": ["math", "contact"],
    "io": ["math", "contact", "solvers"],
}
# Two files of one room that must not know each other: the judge shares no code with solvers, not even projections.
FORBIDDEN = [
    (r"stiction/contact/.*judge\.(h|cpp)$", r"stiction/math/set_"),
    (r"stiction/solvers/", r"stiction/contact/(lcp_)?judge\.h"),
]
MAX_HEADER_LINES, MAX_SOURCE_LINES = 250, 500
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def check(root: pathlib.Path) -> list[str]:
    problems = []
    for path in sorted((root / "stiction").rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        name = path.relative_to(root).as_posix()
        room = path.relative_to(root / "stiction").parts[0]
        if room not in ALLOWED:
            problems.append(f"{name}: room '{room}' is not in the table of tests/check_rooms.py")
            continue
        text = path.read_text(encoding="utf-8")
        limit = MAX_HEADER_LINES if path.suffix == ".h" else MAX_SOURCE_LINES
        if text.count("\n") > limit:
            problems.append(f"{name}: {text.count(chr(10))} lines, more than {limit}")
        for included in INCLUDE.findall(text):
            parts = included.split("/")
            if parts[0] != "stiction":
                problems.append(f'{name}: includes "{included}"; only "stiction/…" and <system> headers may be included')
            elif parts[1] != room and parts[1] not in ALLOWED[room]:
                problems.append(f"{name}: room '{room}' must not know {included}")
            for who, what in FORBIDDEN:
                if re.search(who, name) and re.search(what, included):
                    problems.append(f"{name}: must not include {included}")
    return problems


def main() -> int:
    problems = check(pathlib.Path(__file__).resolve().parent.parent)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"rooms: {len(problems)} problems" if problems else "rooms: every file includes only what it may")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
