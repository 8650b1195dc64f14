#!/usr/bin/env python3
"""Refuses an #include that reaches into a room it may not know (the table in CONTRIBUTING.md), and files too long.

    check_rooms.py [ROOT]      check the tree at ROOT (default: the repository of this file); exit code 1 if broken
    check_rooms.py --self-test plant violations in a small tree and see each of them found
"""

import re
import sys
import tempfile
from pathlib import Path

# Which rooms a room may include, besides itself. A room that is added to the library is added here.
MAY_USE = {
    "math": set(),
    "contact": {"math"},
    "solvers": {"math", "contact"},
    "model": {"math"},
    "dynamics": {"math", "model"},
    "collision": {"math", "model"},
    "constraints": {"math", "contact", "model", "dynamics", "collision"},
    "sim": {"math", "contact", "solvers", "model", "dynamics", "collision", "constraints"},
    "learning": {"math", "contact", "solvers", "model", "dynamics", "collision", "constraints", "sim"},
    "problem_files": {"math", "contact"},
    "io": {"math", "contact", "solvers", "model", "dynamics", "collision", "constraints", "sim", "problem_files"},
    "viewer": {"math", "contact", "solvers", "model", "dynamics", "collision", "constraints", "sim", "problem_files", "io"},
}

# Libraries that one room alone may touch, so that a user of the others need not have them.
FOREIGN = {
    "Eigen": set(MAY_USE),
    "hdf5.h": {"problem_files", "io"},
    "libqhull_r": {"model"},
    "mujoco": {"io"},
    "pugixml.hpp": {"io"},
    "unsupported": set(),
    "zlib.h": {"viewer"},
}

# Files that must not know certain headers although their room may: (file, header, reason).
FORBIDDEN = [
    (r"stiction/solvers/.*", r"stiction/contact/(lcp_)?judge(_\w+)?\.h", "a solver never judges itself"),
    (r"stiction/contact/(lcp_)?judge(_\w+)?\.(h|cpp)", r"stiction/solvers/.*", "the judge shares no code with solvers"),
    (r"stiction/contact/(lcp_)?judge(_\w+)?\.(h|cpp)", r"stiction/math/(set_.*|metric_projection\.h|scalar_root\.h)",
     "the judge shares no projection with solvers"),
]

# Outside the library: everything is a guest and sees the headers of rooms by their full name, and nothing else.
GUESTS = ["tests", "cli", "python", "bench", "fuzz", "experiments"]

MAX_LINES = {".h": 250, ".cpp": 500}  # of the library

SOURCES = {".h", ".hpp", ".cpp", ".cc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
STANDARD = re.compile(r"^[a-z_0-9]+$|^(immintrin|unistd|fcntl|dlfcn|sys/stat)\.h$")


def includes(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1] == "<", match[2]


def check_library_include(root, name, room, angled, header):
    """What is wrong with one #include of a file of the library; None if nothing."""
    if angled:
        library = header.split("/")[0]
        if STANDARD.match(header) or room in FOREIGN.get(library, set()):
            return None
        if library not in FOREIGN:
            return f"room {room} includes <{header}>, a library that no room is allowed (FOREIGN in check_rooms.py)"
        return f"room {room} must not include <{header}>"
    parts = header.split("/")
    if parts[0] != "stiction" or len(parts) < 3 or ".." in parts:
        return f'"{header}" is not a full name "stiction/<room>/<file>.h"'
    if parts[1] not in MAY_USE:
        return f'"{header}" names no room'
    if parts[1] != room and parts[1] not in MAY_USE[room]:
        return f'room {room} must not know room {parts[1]} ("{header}")'
    return None


def check_guest_include(root, path, angled, header):
    parts = header.split("/")
    if angled:
        return f"<{header}>: headers of the library are included in quotes" if parts[0] == "stiction" else None
    if parts[0] == "stiction":
        return None if header.endswith(".h") else f'"{header}" is not a public header'
    target = (path.parent / header).resolve()
    if (root / "stiction").resolve() in target.parents:
        return f'"{header}" reaches into the library by a relative path'
    return None


def check_common(root, name, header):
    if header.startswith("stiction/") and not (root / header).is_file():
        return f'"{header}" does not exist'
    if header.endswith(".cpp"):
        return f'"{header}" is a source file'
    for file_pattern, header_pattern, reason in FORBIDDEN:
        if re.fullmatch(file_pattern, name) and re.fullmatch(header_pattern, header):
            return f'"{header}": {reason}'
    return None


def check(root):
    """All violations below root, as lines `file:line: what is wrong`."""
    found = []
    for top in ["stiction", *GUESTS]:
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in SOURCES or not path.is_file():
                continue
            name = path.relative_to(root).as_posix()
            room = name.split("/")[1] if top == "stiction" else None
            if top == "stiction" and room not in MAY_USE:
                found.append(f"{name}:1: '{room}' is no room (MAY_USE in check_rooms.py)")
                continue
            lines = path.read_text(encoding="utf-8").count("\n")
            if room and lines > MAX_LINES.get(path.suffix, lines):
                found.append(f"{name}:{lines}: more than {MAX_LINES[path.suffix]} lines")
            for number, angled, header in includes(path):
                wrong = check_common(root, name, header)
                if not wrong and room:
                    wrong = check_library_include(root, name, room, angled, header)
                elif not wrong:
                    wrong = check_guest_include(root, path, angled, header)
                if wrong:
                    found.append(f"{name}:{number}: {wrong}")
    return found


def self_test():
    good = {
        "stiction/math/a.h": "#include <cmath>\n#include <Eigen/Core>\n",
        "stiction/math/set_a.h": '#include "stiction/math/a.h"\n',
        "stiction/contact/problem.h": '#include "stiction/math/set_a.h"\n',
        "stiction/contact/judge.h": '#include "stiction/contact/problem.h"\n',
        "stiction/contact/judge.cpp": '#include "stiction/contact/judge.h"\n#include "stiction/math/a.h"\n',
        "stiction/solvers/solver.h": '#include "stiction/contact/problem.h"\n#include "stiction/math/a.h"\n',
        "stiction/io/file.cpp": '#include <hdf5.h>\n#include "stiction/solvers/solver.h"\n',
        "tests/support/help.h": "#include <vector>\n",
        "tests/solvers/a_test.cpp": '#include "../support/help.h"\n#include "stiction/contact/judge.h"\n',
        "cli/main.cpp": '#include <CLI/CLI.hpp>\n#include "stiction/io/file.h"\n',
        "stiction/io/file.h": "",
    }
    planted = {
        "stiction/math/bad_1.h": '#include "stiction/contact/problem.h"',
        "stiction/contact/bad_2.cpp": '#include "stiction/solvers/solver.h"',
        "stiction/solvers/bad_3.h": '#include "stiction/io/file.h"',
        "stiction/solvers/bad_4.cpp": '#include "stiction/contact/judge.h"',
        "stiction/contact/judge.cpp": '#include "stiction/math/set_a.h"',
        "stiction/solvers/bad_5.h": '#include "solver.h"',
        "stiction/solvers/bad_6.h": '#  include  "../contact/problem.h"',
        "stiction/solvers/bad_7.h": "#include <hdf5.h>",
        "stiction/math/bad_8.h": "#include <nlohmann/json.hpp>",
        "stiction/cellar/bad_9.h": "#include <cmath>",
        "stiction/contact/bad_10.h": '#include "stiction/math/missing.h"',
        "stiction/contact/bad_long.h": 250 * "\n",
        "tests/solvers/bad_11_test.cpp": '#include "stiction/contact/judge.cpp"',
        "tests/solvers/bad_12_test.cpp": '#include "../../stiction/contact/judge.h"',
        "cli/bad_13.cpp": "#include <stiction/contact/judge.h>",
    }

    def write(root, name, text):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in good.items():
            write(root, name, text)
        assert check(root) == [], f"a good tree is refused: {check(root)}"
        for name, line in planted.items():
            write(root, name, good.get(name, "") + line + "\n")
            found = check(root)
            assert len(found) == 1 and found[0].startswith(name + ":"), f"planted {line} in {name}, found {found}"
            if name in good:
                write(root, name, good[name])
            else:
                (root / name).unlink()
    print(f"{len(planted)} planted violations found")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    found = check(root)
    print("\n".join(found) if found else "rooms know only what they may")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
