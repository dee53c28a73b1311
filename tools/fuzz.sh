#!/usr/bin/env bash
# Runs the fuzzers, each for SECONDS of processor time. Other programs on the machine do not shorten
# a run.
#
#   tools/fuzz.sh [-j JOBS] SECONDS [TARGET...]   TARGET: ctf cbf libsvm mlf index config position
#                                                 spec compressed kernels image
#
# Inputs that reach new code go to build/fuzz/found/TARGET; the next run begins with them and with
# fuzz/corpus/TARGET. Inputs that fail go to build/fuzz/found/TARGET.findings. The results are
# printed, a line for each target, and written to build/fuzz/campaign.json. To see which lines the
# inputs reach: tools/coverage.sh --inputs
set -euo pipefail
cd "$(dirname "$0")/.."

readonly kBuild=build/fuzz
readonly kFound=$kBuild/found
readonly kTargets=(ctf cbf libsvm htk mlf lattice kaldi wav manifest webdataset
                  image_map image_base64 image_folder megatron arrow jsonl csv sheaf
                  index config position spec compressed kernels image)
readonly kSliceSeconds=300  # length of a slice of a run; results are written after each slice
readonly kFindingsMax=20    # after so many findings, a target stops

usage() {
  sed -n '2,/^set -/s/^# \{0,1\}//p' tools/fuzz.sh >&2
  exit 2
}

last_number() {  # last_number PATTERN LOG: the number after the last match of the pattern
  { grep -ao "$1 *[0-9]*" "$2" || true; } | tail -n 1 | grep -o '[0-9]*$' || echo 0
}

count_findings() { find "$kFound/$1.findings" -type f | wc -l; }

write_result() {  # write_result TARGET CPU_MS EXECUTIONS LOG
  local target="$1" cpu_ms="$2" executions="$3" log="$4"
  printf '{"target": "%s", "cpu_seconds": %d, "executions": %d, "executions_per_second": %d, ' \
    "$target" $((cpu_ms / 1000)) "$executions" $((executions * 1000 / (cpu_ms > 0 ? cpu_ms : 1)))
  printf '"edges": %d, "features": %d, "inputs": %d, "findings": %d}\n' \
    "$(last_number cov: "$log")" "$(last_number ft: "$log")" "$(last_number corp: "$log")" \
    "$(count_findings "$target")"
}

fuzz_target() {  # fuzz_target TARGET SECONDS
  local target="$1" wanted_ms=$(($2 * 1000)) cpu_ms=0 executions=0 slice used options
  local log="$kFound/$target.log" program="$kFound/$target.program" TIMEFORMAT='%U %S'
  mkdir -p "$kFound/$target" "$kFound/$target.findings"
  cp "$kBuild/fuzz/fuzz_$target" "$program"  # a later build does not change the copy
  mapfile -t options <"$kBuild/fuzz/$target.options"
  while ((cpu_ms < wanted_ms && $(count_findings "$target") < kFindingsMax)); do
    slice=$(((wanted_ms - cpu_ms) / 1000 + 1))
    ((slice <= kSliceSeconds)) || slice=$kSliceSeconds
    used="$({ time "$program" "${options[@]}" -max_total_time="$slice" \
      -artifact_prefix="$kFound/$target.findings/" "$kFound/$target" "fuzz/corpus/$target" \
      >"$log" 2>&1 || true; } 2>&1)"
    used="$(awk 'END {printf "%d", ($1 + $2) * 1000}' <<<"$used")"
    if ((used < 10)); then
      tail -n 20 "$log" >&2
      return 1
    fi
    cpu_ms=$((cpu_ms + used))
    executions=$((executions + $(last_number stat::number_of_executed_units: "$log")))
    write_result "$target" "$cpu_ms" "$executions" "$log" >"$kFound/$target.json"
  done
  tr -d '{}"' <"$kFound/$target.json"
}

fuzz() {  # fuzz JOBS SECONDS TARGET...
  local jobs="$1" seconds="$2" target failed=0 results=()
  shift 2
  for target in "$@"; do
    if [[ ! -x "$kBuild/fuzz/fuzz_$target" ]]; then
      echo "fuzz: no $kBuild/fuzz/fuzz_$target: cmake --preset fuzz," \
        "cmake --build --preset fuzz --target sheaf_fuzzers" >&2
      exit 2
    fi
    results+=("$kFound/$target.json")
  done
  mkdir -p "$kFound"
  printf '%s\n' "$@" |
    xargs -P "$jobs" -I TARGET nice -n 19 tools/fuzz.sh --target TARGET "$seconds" || failed=1
  printf '[%s]\n' "$(cat "${results[@]}" | paste -sd ,)" >"$kBuild/campaign.json"
  return "$failed"
}

jobs=1
case "${1:-}" in
  --target) # runs one target of fuzz() in a separate process
    fuzz_target "$2" "$3"
    exit
    ;;
  -j)
    jobs="${2:-}"
    shift 2 || usage
    ;;
esac
[[ "$jobs" =~ ^[1-9][0-9]*$ && "${1:-}" =~ ^[1-9][0-9]*$ ]] || usage
seconds="$1"
shift
[[ $# -gt 0 ]] || set -- "${kTargets[@]}"
fuzz "$jobs" "$seconds" "$@"
