# Sourced by ./demo and ./test: system packages, virtual environment, builds. Quick when nothing changed.
# Functions:  setup_packages  setup_venv  setup_robots  setup_page  build_preset NAME  install_python [EXTRAS]

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Debian packages, each with what needs it.
PACKAGES=(
  g++ cmake ninja-build ccache            # the build
  libeigen3-dev libhdf5-dev               # linear algebra, FCLIB files
  libqhull-dev                            # convex hulls
  libpugixml-dev                          # URDF, SDF, COLLADA meshes
  zlib1g-dev                              # data in pages of `stiction view`
  libcli11-dev nlohmann-json3-dev         # the command, messages of the live viewer
  libcivetweb-dev                         # the live viewer's server
  libgtest-dev libbenchmark-dev           # tests, micro-benchmarks
  python3-venv python3-dev                # the Python package
  patchelf                                # a private copy of MuJoCo's library
)
SANITIZER_PACKAGES=(clang-19 libclang-rt-19-dev)
FORMAT_PACKAGES=(clang-format-19)

say() { printf '\033[1m== %s\033[0m\n' "$*" >&2; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Runs a command with its output in a log file; shows the log's end only when the command fails.
quietly() {
  local log="build/logs/$1.log"
  shift
  mkdir -p build/logs
  if ! "$@" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    fail "'$*' failed; the whole log is in $log"
  fi
}

# The same for builds, which take minutes: how many of their files are done, on one line that counts where there is a
# terminal, else a line for every tenth.
watched() {
  local log="build/logs/$1.log"
  shift
  mkdir -p build/logs
  if ! "$@" 2>&1 | tee "$log" | show_progress; then
    tail -n 60 "$log" >&2
    fail "'$*' failed; the whole log is in $log"
  fi
}

show_progress() {
  local line tenth shown=0 begin=$SECONDS
  while IFS= read -r line; do
    [[ $line =~ \[([0-9]+)/([0-9]+)\] ]] || continue
    local done=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
    tenth=$((10 * done / all))
    if [ -t 2 ]; then
      printf '\r   %d of %d files, %d s \033[K' "$done" "$all" $((SECONDS - begin)) >&2
    elif [ "$tenth" -gt "$shown" ]; then
      printf '   %d of %d files, %d s\n' "$done" "$all" $((SECONDS - begin)) >&2
    fi
    shown=$tenth
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
}

missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || printf '%s ' "$package"
  done
}

setup_packages() {
  command -v dpkg-query >/dev/null || { say "not a Debian system: expecting the tools to be there"; return 0; }
  local missing as_root=()
  missing=$(missing_packages "$@")
  [ -z "$missing" ] && return 0
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "missing packages; as root run: apt-get install $missing"
    as_root=(sudo)
  fi
  say "installing ${missing% }"
  quietly apt-update "${as_root[@]}" apt-get update
  # shellcheck disable=SC2086
  quietly apt-install "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
}

# The wheel mujoco-core holds the headers and the library that load_mjcf is built with; its version is named in pyproject.toml.
# Gymnasium's (0.5 MB, without what it depends on) holds models that the tests read.
setup_venv() {
  local mujoco core gymnasium=gymnasium==1.4.0
  mujoco=$(grep -o 'mujoco-core==[0-9.]*' pyproject.toml | head -n 1)
  core=${mujoco/-core==/_core-}
  if [ ! -x .venv/bin/python ]; then
    say "creating .venv"
    quietly venv python3 -m venv .venv
  fi
  compgen -G ".venv/lib/python3*/site-packages/$core.dist-info" >/dev/null &&
    compgen -G ".venv/lib/python3*/site-packages/${gymnasium//==/-}.dist-info" >/dev/null && return 0
  if ! .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    say "no MuJoCo for this Python: built without load_mjcf"
    return 0
  fi
  say "installing $mujoco into .venv"
  # The larger packages of other versions share its folder, and would take files of it away when they go.
  quietly pip-mujoco-old .venv/bin/pip uninstall --quiet --yes mujoco mujoco-studio mujoco-core
  quietly pip-mujoco .venv/bin/pip install --quiet "$mujoco"
  quietly pip-gymnasium .venv/bin/pip install --quiet --no-deps "$gymnasium"
}

# 69 robots as URDF with their meshes (131 MB), for tests alone; without them tests/python/test_robots.py is skipped.
setup_robots() {
  local robots=example-robot-data==6.0.0
  compgen -G ".venv/lib/python3*/site-packages/example_robot_data-${robots#*==}.dist-info" >/dev/null && return 0
  say "installing $robots into .venv"
  .venv/bin/pip install --quiet --no-deps "$robots" || say "no $robots: its tests are skipped"
}

# What the page of `stiction view` is built with and tried in (about 500 MB), for tests alone: without it they are skipped.
setup_page() {
  local wanted=()
  command -v npm >/dev/null || wanted+=(nodejs npm)
  command -v chromium >/dev/null || wanted+=(chromium)
  # In a subshell: what cannot be installed ends that alone.
  if [ ${#wanted[@]} -gt 0 ]; then
    (setup_packages "${wanted[@]}") || { say "no ${wanted[*]}: tests of the page are skipped"; return 0; }
  fi
  command -v npm >/dev/null || { say "no npm: tests of the page are skipped"; return 0; }
  [ viewer/node_modules/.package-lock.json -nt viewer/package-lock.json ] && return 0
  say "installing the packages of the page"
  (quietly npm-ci npm ci --prefix viewer --no-progress) || say "no packages: tests of the page are skipped"
}

# Compiling one file of Eigen templates takes up to 1.5 GB: no more jobs than processors and memory allow.
jobs() {
  local processors memory
  processors=$(nproc)
  memory=$(awk '/MemAvailable/ { print int($2 / 1500000) + 1 }' /proc/meminfo 2>/dev/null || echo 2)
  echo $((processors < memory ? processors : memory))
}

build_preset() {
  local preset=$1
  shift
  say "building $preset"
  quietly "configure-$preset" cmake --preset "$preset"
  watched "build-$preset" cmake --build --preset "$preset" -j "$(jobs)" "$@"
}

# install_python [EXTRAS]: with those requirements of pyproject.toml besides NumPy, as test,experiments.
# The package is installed again only when something it is made of has changed, or more is wanted than is there.
install_python() {
  [ -f pyproject.toml ] || return 0
  local stamp=.venv/stiction-installed extras=${1:-} changed
  if [ -f "$stamp" ]; then
    changed=$(find stiction python cli viewer/dist cmake pyproject.toml CMakeLists.txt -newer "$stamp" -type f ! -path '*/__pycache__/*' -print -quit)
    [ -z "$changed" ] && { [ -z "$extras" ] || [ "$(cat "$stamp")" = "$extras" ]; } && return 0
  fi
  say "installing the Python package into .venv"
  CMAKE_BUILD_PARALLEL_LEVEL=$(jobs) watched pip-install .venv/bin/pip install --verbose ".${extras:+[$extras]}"
  echo "$extras" >"$stamp"
}
