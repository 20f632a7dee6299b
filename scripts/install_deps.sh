#!/usr/bin/env bash
# Installs what Dragoman is built with: packages of Debian or Ubuntu, and a Python environment (.venv) for the tests
# of the scripts. Does nothing when all is there.
#
# Usage: scripts/install_deps.sh [--no-python]      PYTHON=/path/to/python3 chooses the Python of .venv
set -euo pipefail

root=$(CDPATH= cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
packages=(
  g++ cmake ninja-build pkg-config git
  libeigen3-dev libsentencepiece-dev libspdlog-dev libyaml-cpp-dev libcli11-dev nlohmann-json3-dev
  zlib1g-dev liblzma-dev libzstd-dev libutf8proc-dev libgtest-dev libbenchmark-dev
  clang-format clang-tidy ccache
  clang libclang-rt-dev libomp-dev
  python3 python3-venv python3-pip
)

say() { printf 'install_deps: %s\n' "$*" >&2; }
fail() { say "error: $*"; exit 1; }

with_python=true
for argument in "$@"; do
  case $argument in
    --no-python) with_python=false ;;
    -h | --help) sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) fail "unknown option $argument; expected --no-python" ;;
  esac
done

is_installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

install_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    fail "this script knows Debian and Ubuntu only; elsewhere install what these packages hold: ${packages[*]}"
  fi
  local missing=() package
  for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  if ((${#missing[@]} == 0)); then
    say "all ${#packages[@]} packages are there"
    return
  fi
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "run as root or install sudo; missing: ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  # An old package list is enough as long as it works.
  local install=(${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get install -y
    --no-install-recommends "${missing[@]}")
  if ! "${install[@]}" >&2; then
    ${as_root[@]+"${as_root[@]}"} apt-get update >&2
    "${install[@]}" >&2 || fail "apt-get could not install: ${missing[*]}"
  fi
}

# A Python that can make environments: the first python3 on PATH may be one that can't.
find_python() {
  local python
  for python in ${PYTHON:+"$PYTHON"} python3 /usr/bin/python3; do
    if "$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 8))' >/dev/null 2>&1; then
      printf '%s\n' "$python"
      return
    fi
  done
  fail "found no Python 3.8 or newer with the modules venv and ensurepip; install python3-venv, or use --no-python"
}

install_python() {
  local venv=$root/.venv requirements=$root/scripts/requirements.txt
  local stamp=$venv/requirements.installed python
  if cmp -s "$requirements" "$stamp" && "$venv/bin/python" -c '' 2>/dev/null; then
    say "the Python environment .venv is up to date"
    return
  fi
  if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    python=$(find_python)
    say "making .venv with $("$python" --version 2>&1)"
    "$python" -m venv --clear "$venv"
  fi
  say "installing scripts/requirements.txt into .venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements" >&2 ||
    fail "pip could not install scripts/requirements.txt; --no-python leaves it out"
  cp "$requirements" "$stamp"
}

install_packages
if $with_python; then install_python; fi
