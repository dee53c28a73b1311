#!/usr/bin/env bash
# Installs the peers of bench/run.py into .venv-bench, one by one. Names the packages that cannot be
# installed; the tables leave them out. Does nothing if all packages are installed.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly kPython=.venv-bench/bin/python kStamp=.venv-bench/sheaf-bench-setup
if cmp -s bench/requirements.txt "$kStamp"; then
  exit 0
fi
[[ -x "$kPython" ]] || .venv/bin/python -m venv .venv-bench
missing=0
while read -r package; do
  if [[ "$package" == \#* ]]; then
    continue
  fi
  echo "bench-setup: $package"
  if ! "$kPython" -m pip install --quiet --disable-pip-version-check "$package" </dev/null; then
    echo "bench-setup: no $package" >&2
    missing=1
  fi
done <bench/requirements.txt
((missing)) || cp bench/requirements.txt "$kStamp"
