#!/usr/bin/env python3
"""Installs into a clean prefix and uses that as a stranger would.

    install_test.py SOURCE BUILD CXX

Only the public headers are there and each compiles on its own; a project that needs the solvers finds them with Eigen
alone; the C++ examples run; a program can link all rooms; a program that is compiled for any processor works with the
library that is compiled for this one, also under the sanitizers; and the source folder, or some rooms of it, can be part
of another project.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE, BUILD, CXX = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
EIGEN_IS_ENOUGH_WITHOUT = ("Qhull", "HDF5", "pugixml", "Threads", "ZLIB", "nlohmann_json")
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
        "file(GLOB sources alone_*.cpp)\nadd_library(headers OBJECT ${sources})\n"
        "target_compile_options(headers PRIVATE -fsyntax-only -Wall -Wextra -Wshadow -Werror)\n"
        "target_link_libraries(headers PRIVATE stiction::io)\n"
        "add_executable(all_rooms all_rooms.cpp)\n"
        "target_link_libraries(all_rooms PRIVATE stiction::viewer stiction::render)\n")
    (project / "all_rooms.cpp").write_text(
        '#include <iostream>\n#include "stiction/render/image.h"\n#include "stiction/viewer/live_view.h"\n'
        '#include "stiction/viewer/page.h"\nint main() {\n  stiction::Image(4, 4).save("dot.png");\n'
        "  std::cout << (&stiction::save_page != nullptr) << stiction::page_template().substr(0, 15);\n}\n")
    configure(project, folder / "headers-build", prefix)
    run("cmake", "--build", folder / "headers-build", "-j2")
    assert "<!doctype html>" in run(folder / "headers-build" / "all_rooms").lower()
    print(f"{len(wanted)} public headers compile alone; all rooms can be linked")


def check_consumer(prefix, folder):
    without = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in EIGEN_IS_ENOUGH_WITHOUT]
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
        "foreach(name math contact solvers model dynamics collision constraints sim problem_files io render viewer)\n"
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


def check_rooms_of_another(folder):
    """FetchContent of the solvers: Eigen is enough, and no other room is built; from there they can be installed."""
    project = folder / "some-rooms"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(some LANGUAGES CXX)\nset(STICTION_COMPONENTS solvers)\n"
        f"include(FetchContent)\nFetchContent_Declare(stiction SOURCE_DIR {SOURCE})\nFetchContent_MakeAvailable(stiction)\n"
        "foreach(name math contact solvers)\n"
        "  if(NOT TARGET stiction::${name})\n    message(FATAL_ERROR \"no stiction::${name}\")\n  endif()\nendforeach()\n"
        "foreach(name model sim problem_files io render viewer)\n"
        "  if(TARGET stiction::${name})\n    message(FATAL_ERROR \"${name} is built too\")\n  endif()\nendforeach()\n")
    without = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in EIGEN_IS_ENOUGH_WITHOUT]
    configure(project, folder / "some-rooms-build", "", *without)
    assert "CIVETWEB" not in (folder / "some-rooms-build" / "CMakeCache.txt").read_text(), "civetweb is looked for"
    wrong = configure(SOURCE, folder / "wrong-rooms", "", "-DSTICTION_COMPONENTS=solver", fails=True)
    assert "has no room 'solver'" in wrong, wrong
    print("some rooms of it part of another project, with Eigen alone")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prefix = folder / "prefix"
        run("cmake", "--install", BUILD, "--prefix", prefix, "--component", "development")
        check_consumer(prefix, folder)
        check_examples(prefix, folder)
        check_border(prefix, folder)
        check_part_of_another(folder)
        check_rooms_of_another(folder)
        check_headers(prefix, folder)


if __name__ == "__main__":
    main()
