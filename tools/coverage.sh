#!/usr/bin/env bash
# Measures which lines and branches of src/ run in the tests, or with the inputs of the fuzzers.
# Needs clang and the tools of LLVM (Debian: llvm).
#
#   tools/coverage.sh                      covers all tests and sums up by layer; single lines are
#                                          in build/coverage/html
#   tools/coverage.sh --inputs [TARGET...] covers the corpus and the found inputs of fuzz targets,
#                                          for the sources of each target
#
# Branches are the conditions in the sources, each both ways. Branches that the compiler adds for
# exceptions do not count.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly kBuild=$PWD/build/coverage
readonly kFound=build/fuzz/found
# These tests run the same lines many times, and an instrumented process ends slowly.
readonly kRepeating='^cli_(hostile_numbers|memory_limit|soak)$'
readonly kTargets=(ctf cbf libsvm index config position spec compressed kernels)

build() {  # build TARGET...
  cmake --preset coverage >/dev/null
  cmake --build --preset coverage --target "$@" >"$kBuild/build.log" ||
    { tail -n 30 "$kBuild/build.log" >&2; return 1; }
}

# table GROUP: prints a row for each layer of an export (GROUP: layer), or one row named GROUP.
table() {
  python3 -c '
import json, sys
from collections import Counter
rows, all_of = {}, sys.argv[1]
for file in json.load(sys.stdin)["data"][0]["files"]:
    layer = file["filename"].split("/src/", 1)[1].split("/")[0]
    for name in (layer, "src") if all_of == "layer" else (all_of,):
        row = rows.setdefault(name, Counter())
        for what in ("lines", "branches"):
            row[what] += file["summary"][what]["count"]
            row[what + " run"] += file["summary"][what]["covered"]
for name, row in rows.items():
    print("%-12s" % name, end="")
    for what in ("lines", "branches"):
        run, count = row[what + " run"], row[what]
        print("%9d of %6d %s, %.1f %%" % (run, count, what, 100 * run / (count or 1)), end="")
    print()
' "$1"
}

# Starts a process for each core rather than for each test, since each process must merge its counts
# into the existing ones. Leaves out the test of all short strings: it would take an hour and runs
# the same lines as random files.
unit_tests() {
  local jobs shard pids=()
  jobs="$(nproc)"
  for ((shard = 0; shard < jobs; ++shard)); do
    GTEST_TOTAL_SHARDS="$jobs" GTEST_SHARD_INDEX="$shard" \
      "$kBuild/tests/sheaf_tests" --gtest_filter='-*EveryShortString*' >"$kBuild/tests-$shard.log" &
    pids+=("$!")
  done
  for shard in "${pids[@]}"; do wait "$shard" || tell_failure "tests-*.log"; done
}

tell_failure() { echo "coverage: some tests failed: $kBuild/$1" >&2; }

by_tests() {
  build all
  rm -rf "$kBuild/profiles"
  export LLVM_PROFILE_FILE="$kBuild/profiles/%8m.profraw"  # %8m: eight files for each program
  unit_tests
  ctest --preset coverage -LE unit -E "$kRepeating" -j "$(nproc)" >"$kBuild/ctest.log" ||
    tell_failure ctest.log
  ctest --preset coverage -R '^(replay_|AllocationFaults)' >"$kBuild/faults.log" ||
    tell_failure faults.log
  llvm-profdata merge -sparse "$kBuild"/profiles/*.profraw -o "$kBuild/tests.profdata"
  local programs=("$kBuild/tests/sheaf_tests" -object "$kBuild/sheaf") replay
  for replay in "${kTargets[@]}"; do programs+=(-object "$kBuild/fuzz/replay_$replay"); done
  llvm-cov show -format=html -output-dir="$kBuild/html" -instr-profile "$kBuild/tests.profdata" \
    "${programs[@]}" "$PWD/src"
  llvm-cov export -summary-only -instr-profile "$kBuild/tests.profdata" "${programs[@]}" \
    "$PWD/src" | table layer
}

# Prints the sources that belong to a target.
sources_of() {
  case "$1" in
    index) echo src/index src/format/text/file_checks.* src/format/text/scan*_index.* ;;
    config) echo src/cntk ;;
    position) echo src/core/position.cc src/sequencer ;;
    spec) echo src/dataset ;;
    compressed) echo src/io/compressed src/io/archive ;;
    kernels) echo src/format/text/field_*.cc src/format/text/field_*.h ;;
    *) echo "src/format/$1" ;;
  esac
}

by_inputs() {  # by_inputs TARGET...
  local target inputs sources
  build sheaf_replays
  for target in "$@"; do
    inputs=("fuzz/corpus/$target")
    [[ ! -d "$kFound/$target" ]] || inputs+=("$kFound/$target")
    LLVM_PROFILE_FILE="$kBuild/$target.profraw" "$kBuild/fuzz/replay_$target" "${inputs[@]}" \
      >"$kBuild/$target.log"
    llvm-profdata merge -sparse "$kBuild/$target.profraw" -o "$kBuild/$target.profdata"
    read -ra sources <<<"$(sources_of "$target")"
    llvm-cov export -summary-only -instr-profile "$kBuild/$target.profdata" \
      "$kBuild/fuzz/replay_$target" "${sources[@]/#/$PWD/}" | table "$target"
  done
}

if [[ "${1:-}" == --inputs ]]; then
  shift
  [[ $# -gt 0 ]] || set -- "${kTargets[@]}"
  by_inputs "$@"
elif [[ $# -eq 0 ]]; then
  by_tests
else
  sed -n '2,/^set -/s/^# \{0,1\}//p' tools/coverage.sh >&2
  exit 2
fi
