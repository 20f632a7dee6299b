#!/usr/bin/env bash
# Runs every fuzz target for a while, from the seeds in the repository; fails at the first input that breaks one and
# leaves that input in build/asan-ubsan/found.
#
# Usage: scripts/fuzz.sh [SECONDS [TARGET...]]      default: 20 seconds for each target of the preset asan-ubsan
set -euo pipefail
CDPATH= cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-20}
shift $(($# > 0 ? 1 : 0))
if (($# == 0)); then set -- config lines safetensors state tokenizer vocabulary; fi

# Several: one a core.
if (($# > 1)); then
  printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 scripts/fuzz.sh "$seconds"
  exit
fi

name=$1
build=build/asan-ubsan
program=$build/tests/fuzz/${name}_fuzz found=$build/found inputs=$build/inputs/$name
if [[ ! -x $program ]]; then
  echo "fuzz: $program is missing; cmake --build --preset asan-ubsan --target fuzz makes it" >&2
  exit 2
fi
mkdir -p "$found" "$inputs"
seeds=tests/fuzz/seeds/$name longest=1000
if [[ $name == state ]]; then longest=2000; fi
# The configurations of the repository are seeds as they are; the longest of them decides.
if [[ $name == config ]]; then seeds=configs longest=16000; fi
log=$found/$name.log code=0
# Freed memory that the sanitizer holds back must not count as a memory blow-up.
ASAN_OPTIONS=quarantine_size_mb=16 UBSAN_OPTIONS=print_stacktrace=1 "$program" -seed=1 -max_total_time="$seconds" \
  -max_len="$longest" -timeout=10 -rss_limit_mb=512 -print_final_stats=1 -artifact_prefix="$found/$name-" \
  "$inputs" "$seeds" >"$log" 2>&1 || code=$?
if ((code != 0)); then
  tail -n 60 "$log"
  echo "fuzz: $name fails; the input is in $found" >&2
  exit 1
fi
sed -n -E "s/^#([0-9]+)\tDONE +cov: ([0-9]+).*/fuzz: $name, $seconds seconds: \1 inputs, \2 places covered/p" "$log"
