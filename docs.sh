#!/usr/bin/env bash
# The documentation site, into build/site. See --help.
package=
while [ $# -gt 0 ]; do
  case "$1" in
    -h | --help)
      cat <<'HELP'
usage: ./docs.sh [--package FOLDER]

Installs what is missing (Debian packages, build/docs-venv), builds the site from README.md, docs/, notebook/, bench/results/,
the public headers and the stub of the Python package, and checks it: no warnings, no link that leads nowhere, nothing that is
fetched from a network. Open build/site/index.html.

  --package FOLDER  the Python package to document; without it the one of .venv, which is brought up to date first
HELP
      exit 0
      ;;
    --package)
      package=$(realpath "${2:?--package needs a folder}")
      shift
      ;;
    *)
      echo "unknown option $1; see ./docs.sh --help" >&2
      exit 2
      ;;
  esac
  shift
done
source "$(dirname "$0")/tools/setup.sh"

DOCS_PACKAGES=(
  doxygen                # comments of the C++ headers
  nodejs libjs-katex     # formulas
  python3-venv
)
setup_packages "${DOCS_PACKAGES[@]}"

venv=build/docs-venv
if ! cmp -s docs/requirements.txt "$venv/installed"; then
  say "installing Sphinx into $venv"
  mkdir -p build
  quietly docs-venv python3 -m venv "$venv"
  quietly docs-pip "$venv/bin/pip" install --quiet -r docs/requirements.txt
  cp docs/requirements.txt "$venv/installed"
fi

if [ -z "$package" ]; then
  setup_packages "${PACKAGES[@]}"
  setup_venv
  install_python
  package=$(cd /tmp && "$OLDPWD/.venv/bin/python" -c 'import stiction; print(stiction.__path__[0])')
fi

say "building the site"
rm -rf build/site build/site-doctrees
quietly docs-prepare "$venv/bin/python" docs/site/prepare.py build/site-sources "$package"
quietly docs-sphinx "$venv/bin/sphinx-build" -E -q -W --keep-going -b html -c docs/site -d build/site-doctrees \
  -D "breathe_projects.stiction=$PWD/build/site-sources/doxygen/xml" build/site-sources build/site
"$venv/bin/python" tests/docs/check_site.py build/site
