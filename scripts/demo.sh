#!/usr/bin/env bash
# From nothing to translations: installs what is missing, builds, makes toy data (English to Korean, from the grammar
# in data/), trains a GRU with attention on it, and shows what it has learned. A few minutes on 2 cores.
#
# Usage: scripts/demo.sh
set -euo pipefail
CDPATH= cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install_deps.sh --no-python
cmake --preset release
cmake --build --preset release --target dragoman

dragoman=build/release/dragoman
[[ -f toy/grammar/test.coref ]] || "$dragoman" generate grammar -o toy/grammar --overwrite
"$dragoman" train configs/demo.yaml --overwrite
if command -v python3 >/dev/null; then
  python3 scripts/show_translations.py models/demo --source toy/grammar/test.en --reference toy/grammar/test.ko \
    --align toy/grammar/test.align
else
  "$dragoman" evaluate models/demo --source toy/grammar/test.en --reference toy/grammar/test.ko --tokenize none
fi
