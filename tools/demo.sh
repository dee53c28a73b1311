#!/usr/bin/env bash
# Demonstrates sheaf on real data: checks a file, shows its head, and trains a model in C++ and in
# NumPy. `make demo` builds everything first.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly kData=testdata/digits
readonly kBuild=build/release
readonly kPython=.venv/bin/python
readonly kStreams=(--stream labels:sparse:10 --stream features:dense:64)

if [[ ! -x $kBuild/sheaf ]] || ! "$kPython" -c 'import sheaf' 2>/dev/null; then
  echo "demo: not built yet: run make demo" >&2
  exit 2
fi

show() {  # prints a command as a user would type it, then runs it
  printf '\n$ %s\n' "$*"
  "$@"
}

results="$(mktemp)"
trap 'rm -f "$results"' EXIT

show "$kBuild/sheaf" check "$kData/train.ctf" "${kStreams[@]}"
show "$kBuild/sheaf" head -n 2 "$kData/train.ctf" "${kStreams[@]}"
show "$kBuild/sheaf" read "$kData/train.ctf" "${kStreams[@]}" --minibatch-size 512
show "$kBuild/examples/train_digits" "$kData" | tee -a "$results"
show "$kPython" examples/train_digits.py "$kData" | tee -a "$results"

printf '\nBoth learned from the same minibatches:\n'
grep 'test accuracy' "$results" | sed 's/^/  /'
