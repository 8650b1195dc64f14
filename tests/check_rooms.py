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
    "render": {"math", "contact", "solvers", "model", "dynamics", "collision", "constraints", "sim", "problem_files"},
    "io": {"math", "contact", "solvers", "model", "dynamics", "collision", "constraints", "sim", "problem_files"},
    "viewer": {"math", "contact", "solvers", "model", "dynamics", "collision", "constraints", "sim", "problem_files", "io"},
}

# Libraries, and the files or folders that alone may touch them, so that a user of the others need not have them.
FOREIGN = {
    "Eigen": ["stiction", "tests", "python", "bench", "examples"],
    "hdf5.h": ["stiction/problem_files", "tests/problem_files"],
    "libqhull_r": ["stiction/model/geometry/hull_qhull.cpp"],
    "mujoco": ["stiction/io/mjcf/mujoco", "tests/io", "bench"],
    "pugixml.hpp": ["stiction/io/xml/xml.cpp"],
    "gtest": ["tests"],
    "benchmark": ["bench"],
    "CLI": ["cli/main.cpp"],
    "nlohmann": ["cli", "fuzz/fuzz_outputs.cpp", "stiction/viewer/live_command.cpp", "stiction/learning/safetensors.cpp"],
    "civetweb.h": ["stiction/viewer/live_server.cpp"],
    "nanobind": ["python"],
    "numpy": ["python/arrays.cpp"],
    "zlib.h": ["stiction/viewer", "tests/viewer", "stiction/render/png.cpp", "tests/render"],
    "unsupported": [],
}

# Files that must not know certain headers although their room may: (file, header, reason).
FORBIDDEN = [
    # Floors below and other rooms must not grow into the default solver; its own tests are in tests/solvers.
    (r"(?!stiction/solvers/(auto/|registry\.cpp)|tests/solvers/).*", r"stiction/solvers/auto/.*",
     "`auto` is a guest: only the registry and its tests know it"),
    (r"stiction/solvers/.*", r"stiction/contact/(lcp_)?judge(_\w+)?\.h", "a solver never judges itself"),
    (r"stiction/contact/(lcp_)?judge(_\w+)?\.(h|cpp)", r"stiction/solvers/.*", "the judge shares no code with solvers"),
    (r"stiction/contact/(lcp_)?judge(_\w+)?\.(h|cpp)", r"stiction/math/(set_.*|metric_projection\.h|scalar_root\.h)",
     "the judge shares no projection with solvers"),
]

# Outside the library: everything is a guest and sees the headers of rooms by their full name, and nothing else.
GUESTS = ["tests", "cli", "python", "bench", "fuzz", "examples", "experiments"]

# Guests that live as users do: they see the headers that are installed (cmake/public_headers.cmake), and those few.
USERS = ["cli", "python", "examples"]
PUBLIC_HEADERS = "cmake/public_headers.cmake"
LENT = {
    ("cli/outputs.cpp", "stiction/math/output_place.h"),  # outputs are checked as writers check them
    ("cli/outputs.cpp", "stiction/math/save_file.h"),  # and written as they write
    ("cli/problem_files.cpp", "stiction/problem_files/hdf5.h"),  # what a file holds, before it is read
    ("cli/verb_view.cpp", "stiction/viewer/json_text.h"),  # one string of JSON does not take nlohmann
    ("cli/verb_compare.cpp", "stiction/math/near_names.h"),  # solvers are asked for by name
    ("cli/shipped_scenes.cpp", "stiction/math/near_names.h"),  # so are scenes
    ("cli/verb_view_scene.cpp", "stiction/viewer/json_text.h"),
    # Compiled as the rooms are, so that packs inside of the data do no harm.
    ("python/expose_dynamics.cpp", "stiction/dynamics/dynamics_data.h"),
    ("python/shared_simulator.h", "stiction/dynamics/dynamics_data.h"),
}

GENERATED = {"stiction/version.h"}  # headers that the build makes, for everybody

MAX_LINES = {".h": 250, ".cpp": 500}  # of the library

SOURCES = {".h", ".hpp", ".cpp", ".cc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
STANDARD = re.compile(r"^[a-z_0-9]+$|^(immintrin|gnu/libc-version|unistd|fcntl|spawn|dlfcn|time|netinet/in|sys/(stat|wait|resource|socket|time))\.h$")


def includes(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1] == "<", match[2]


def check_foreign(name, header):
    """What is wrong with an #include <…> that is not of the standard library; None if nothing."""
    if STANDARD.match(header):
        return None
    library = header.split("/")[0]
    if library not in FOREIGN:
        return f"includes <{header}>, a library that nobody is allowed (FOREIGN in check_rooms.py)"
    if not any(name == place or name.startswith(place + "/") for place in FOREIGN[library]):
        return f"must not include <{header}>"
    return None


def check_library_include(room, header):
    """What is wrong with one #include "…" of a file of the library; None if nothing."""
    parts = header.split("/")
    if header in GENERATED:
        return None
    if parts[0] != "stiction" or len(parts) < 3 or ".." in parts:
        return f'"{header}" is not a full name "stiction/<room>/<file>.h"'
    if parts[1] not in MAY_USE:
        return f'"{header}" names no room'
    if parts[1] != room and parts[1] not in MAY_USE[room]:
        return f'room {room} must not know room {parts[1]} ("{header}")'
    return None


def check_guest_include(root, path, header):
    if header.split("/")[0] == "stiction":
        return None if header.endswith(".h") else f'"{header}" is not a public header'
    target = (path.parent / header).resolve()
    if (root / "stiction").resolve() in target.parents:
        return f'"{header}" reaches into the library by a relative path'
    return None


def public_headers(root):
    """The headers that are installed, and what is wrong with their list."""
    path = root / PUBLIC_HEADERS
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    names = re.findall(r"^\s*(stiction/\S+\.h)\s*$", text, re.M)
    missing = [f"{PUBLIC_HEADERS}:1: {name} does not exist" for name in names if not (root / name).is_file()]
    return set(names), missing


def check_public(public, name, header):
    """A public header, and whoever lives as a user does, sees public headers alone."""
    if not header.startswith("stiction/") or header in public | GENERATED or (name, header) in LENT:
        return None
    if name in public:
        return f'"{header}" is internal, but {name} is installed without it ({PUBLIC_HEADERS})'
    if name.split("/")[0] in USERS:
        return f'"{header}" is internal: {name.split("/")[0]} sees public headers alone ({PUBLIC_HEADERS})'
    return None


def check_common(root, name, header):
    if header.startswith("stiction/") and header not in GENERATED and not (root / header).is_file():
        return f'"{header}" does not exist'
    if header.endswith(".cpp"):
        return f'"{header}" is a source file'
    for file_pattern, header_pattern, reason in FORBIDDEN:
        if re.fullmatch(file_pattern, name) and re.fullmatch(header_pattern, header):
            return f'"{header}": {reason}'
    return None


def check(root):
    """All violations below root, as lines `file:line: what is wrong`."""
    public, found = public_headers(root)
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
                wrong = check_common(root, name, header) or check_public(public, name, header)
                if not wrong and angled:
                    wrong = check_foreign(name, header)
                elif not wrong and room:
                    wrong = check_library_include(room, header)
                elif not wrong:
                    wrong = check_guest_include(root, path, header)
                if wrong:
                    found.append(f"{name}:{number}: {wrong}")
    return found


def self_test():
    good = {
        PUBLIC_HEADERS: "set(HEADERS\n  stiction/io/file.h\n  stiction/contact/problem.h\n  stiction/math/set_a.h\n  stiction/math/a.h\n)\n",
        "stiction/math/a.h": "#include <cmath>\n#include <Eigen/Core>\n",
        "stiction/math/set_a.h": '#include "stiction/math/a.h"\n',
        "stiction/contact/problem.h": '#include "stiction/math/set_a.h"\n',
        "stiction/contact/judge.h": '#include "stiction/contact/problem.h"\n',
        "stiction/contact/judge.cpp": '#include "stiction/contact/judge.h"\n#include "stiction/math/a.h"\n',
        "stiction/solvers/solver.h": '#include "stiction/contact/problem.h"\n#include "stiction/math/a.h"\n',
        "stiction/solvers/auto/solver_auto.h": '#include "stiction/solvers/solver.h"\n',
        "stiction/solvers/auto/solver_auto.cpp": '#include "stiction/solvers/auto/solver_auto.h"\n',
        "stiction/solvers/registry.cpp": '#include "stiction/solvers/auto/solver_auto.h"\n',
        "tests/solvers/solver_auto_test.cpp": '#include "stiction/solvers/auto/solver_auto.h"\n',
        "stiction/io/file.cpp": '#include "stiction/solvers/solver.h"\n',
        "stiction/io/xml/xml.cpp": "#include <pugixml.hpp>\n",
        "stiction/problem_files/hdf5.cpp": "#include <hdf5.h>\n",
        "tests/support/help.h": "#include <vector>\n",
        "tests/solvers/a_test.cpp": '#include "../support/help.h"\n#include "stiction/contact/judge.h"\n',
        "cli/main.cpp": '#include <CLI/CLI.hpp>\n#include "stiction/io/file.h"\n#include "stiction/version.h"\n',
        "stiction/io/file.h": '#include "stiction/version.h"\n',
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
        "stiction/solvers/interior_point/bad_auto.h": '#include "stiction/solvers/auto/solver_auto.h"',
        "stiction/io/bad_auto.cpp": '#include "stiction/solvers/auto/solver_auto.h"',
        "bench/bad_auto.cpp": '#include "stiction/solvers/auto/solver_auto.h"',
        "tests/sim/bad_auto_test.cpp": '#include "stiction/solvers/auto/solver_auto.h"',
        "stiction/contact/bad_10.h": '#include "stiction/math/missing.h"',
        "stiction/contact/bad_long.h": 250 * "\n",
        "tests/solvers/bad_11_test.cpp": '#include "stiction/contact/judge.cpp"',
        "tests/solvers/bad_12_test.cpp": '#include "../../stiction/contact/judge.h"',
        "cli/bad_13.cpp": "#include <stiction/contact/judge.h>",
        "stiction/io/urdf/bad_14.cpp": "#include <pugixml.hpp>",
        "stiction/io/recording/bad_15.cpp": "#include <hdf5.h>",
        "tests/solvers/bad_16_test.cpp": "#include <pugixml.hpp>",
        "cli/bad_17.cpp": "#include <boost/optional.hpp>",
        "cli/bad_18.cpp": '#include "stiction/contact/judge.h"',
        "examples/bad_19.cpp": '#include "stiction/solvers/solver.h"',
        "stiction/io/file.h": '#include "stiction/solvers/solver.h"',
        PUBLIC_HEADERS: "  stiction/io/gone.h",
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
