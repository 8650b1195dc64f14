#!/usr/bin/env python3
"""Installs into a clean prefix and uses that as a stranger would.

    install_test.py SOURCE BUILD CXX

Only the public headers are there and each compiles on its own; a project that needs the solvers finds them with Eigen
alone; the C++ examples run; a program that is compiled for any processor works with the library that is compiled for
this one, also under the sanitizers; and the source folder can be part of another project.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE, BUILD, CXX = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
ENVIRONMENT = {**os.environ, "LSAN_OPTIONS": "detect_leaks=0"}  # MuJoCo keeps what it has read


def run(*command, fails=False):
    done = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=ENVIRONMENT)
    if (done.returncode != 0) != fails:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}:\n{done.stdout[-8000:]}")
    return done.stdout


def configure(project, build, prefix, *options, fails=False):
    return run("cmake", "-S", project, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={CXX}", f"-DCMAKE_PREFIX_PATH={prefix}",
               "-DCMAKE_BUILD_TYPE=", *options, fails=fails)


def public_headers():
    text = (SOURCE / "cmake" / "public_headers.cmake").read_text()
    return re.findall(r"^\s+(stiction/\S+\.h)$", text, flags=re.MULTILINE)


def check_headers(prefix, folder):
    """The installed headers are those of the list, and each compiles without help from others."""
    include = prefix / "include"
    installed = {path.relative_to(include).as_posix() for path in include.rglob("*") if path.is_file()}
    wanted = {*public_headers(), "stiction/version.h"}
    assert installed == wanted, f"not installed: {wanted - installed}; not wanted: {installed - wanted}"
    project = folder / "headers"
    project.mkdir()
    for k, header in enumerate(sorted(wanted)):
        (project / f"alone_{k}.cpp").write_text(f'#include "{header}"\n#include "{header}"\n')
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(headers LANGUAGES CXX)\nfind_package(stiction REQUIRED)\n"
        "file(GLOB sources *.cpp)\nadd_library(headers OBJECT ${sources})\n"
        "target_compile_options(headers PRIVATE -fsyntax-only -Wall -Wextra -Wshadow -Werror)\n"
        "target_link_libraries(headers PRIVATE stiction::io)\n")
    configure(project, folder / "headers-build", prefix)
    run("cmake", "--build", folder / "headers-build", "-j2")
    print(f"{len(wanted)} public headers compile alone")


def check_consumer(prefix, folder):
    without = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("Qhull", "HDF5", "pugixml", "Threads")]
    build = folder / "consumer-build"
    configure(SOURCE / "tests" / "consumer", build, prefix, *without)
    run("cmake", "--build", build)
    print("consumer, with Eigen alone:", run(build / "consumer").strip())
    wrong = folder / "wrong"
    wrong.mkdir()
    (wrong / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(wrong LANGUAGES CXX)\n"
                                          "find_package(stiction REQUIRED COMPONENTS solver)\n")
    assert "has no component 'solver'" in configure(wrong, folder / "wrong-build", prefix, fails=True)


def check_examples(prefix, folder):
    build = folder / "examples-build"
    configure(SOURCE / "examples" / "cpp", build, prefix)
    run("cmake", "--build", build, "-j2")
    print(run(build / "hello_simulation").strip())
    print(run(build / "solve_problem", SOURCE / "scenes" / "fclib" / "Rover1039.hdf5").strip())
    print(run(build / "load_robot", SOURCE / "scenes" / "cassie" / "cassie_v2.sdf").strip().splitlines()[-1])


def check_border(prefix, folder):
    """No -march here, whatever the library has; once with the sanitizers, once as usual."""
    project = folder / "border"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(border LANGUAGES CXX)\nfind_package(stiction REQUIRED COMPONENTS io)\n"
        f"add_executable(border {SOURCE}/tests/consumer/border.cpp)\n"
        "target_compile_options(border PRIVATE -Wall -Wextra -Werror)\n"
        "target_link_libraries(border PRIVATE stiction::io)\n")
    sums = []
    for name, flags in (("plain", "-O2"), ("sanitized", "-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all")):
        build = folder / f"border-{name}"
        configure(project, build, prefix, f"-DCMAKE_CXX_FLAGS={flags}")
        run("cmake", "--build", build)
        sums.append(run(build / "border", SOURCE / "scenes" / "cassie" / "cassie_v2.sdf").strip())
        print(f"over the border, {name}:", sums[-1])


def check_part_of_another(folder):
    """As with FetchContent: the library alone, under the same names, and nothing forced on the project around it."""
    project = folder / "parent"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(parent LANGUAGES C CXX)\n"
        f"add_subdirectory({SOURCE} stiction)\n"
        "foreach(name math contact solvers model dynamics collision constraints sim problem_files io)\n"
        "  if(NOT TARGET stiction::${name})\n    message(FATAL_ERROR \"no stiction::${name}\")\n  endif()\nendforeach()\n"
        "foreach(name stiction test_solvers bench_sim)\n"
        "  if(TARGET ${name})\n    message(FATAL_ERROR \"${name} is built too\")\n  endif()\nendforeach()\n"
        "foreach(name CMAKE_BUILD_TYPE CMAKE_CXX_STANDARD CMAKE_CXX_COMPILER_LAUNCHER CMAKE_POSITION_INDEPENDENT_CODE)\n"
        "  if(${name})\n    message(FATAL_ERROR \"${name} is set\")\n  endif()\nendforeach()\n"
        "add_library(user OBJECT user.cpp)\n"
        "target_link_libraries(user PRIVATE stiction::solvers)\n")
    (project / "user.cpp").write_text(
        '#include "stiction/solvers/solver.h"\n#include "stiction/version.h"\n'
        "#ifdef __AVX__\n#error the flags of the library are forced on its users\n#endif\n"
        "static_assert(stiction::version_major >= 0);\n")
    configure(project, folder / "parent-build", "")
    run("cmake", "--build", folder / "parent-build", "--target", "user")
    print("part of another project")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prefix = folder / "prefix"
        run("cmake", "--install", BUILD, "--prefix", prefix, "--component", "development")
        check_consumer(prefix, folder)
        check_examples(prefix, folder)
        check_border(prefix, folder)
        check_part_of_another(folder)
        check_headers(prefix, folder)


if __name__ == "__main__":
    main()
