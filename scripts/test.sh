#!/usr/bin/env bash
# Installs what is missing, builds the release preset and runs all tests.
#
# Usage: scripts/test.sh [options for ctest, e.g. -R gradient]
set -euo pipefail
CDPATH= cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install_deps.sh
cmake --preset release
cmake --build --preset release
ctest --test-dir build/release --output-on-failure -j 2 "$@"
