#!/usr/bin/env bash
# From nothing to a translation: installs, builds, makes toy data, trains a small model and translates with it.
#
# Usage: scripts/demo.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install_deps.sh --no-python
cmake --preset release
cmake --build --preset release --target dragoman

dragoman=build/release/dragoman
[[ -f toy/grammar/train.en ]] || "$dragoman" generate grammar -o toy/grammar
"$dragoman" train configs/demo.yaml --overwrite
