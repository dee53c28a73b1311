#!/usr/bin/env bash
# Runs clang-tidy (.clang-tidy says which checks) over the library and the command line.
#
#   tools/clang_tidy.sh [JOBS]      after `make build`, whose compile commands it uses
set -euo pipefail
cd "$(dirname "$0")/.."

# The commands are g++'s: options that clang does not know are no finding.
find src cli -name '*.cc' -print0 |
  xargs -0 -n 1 -P "${1:-2}" clang-tidy -p build/release --quiet \
    --extra-arg=-Wno-unknown-warning-option 2> >(grep -v 'warnings generated' >&2 || true)
echo "clang-tidy: no findings"
