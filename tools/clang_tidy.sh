#!/usr/bin/env bash
# Runs clang-tidy over the library and the command line. The checks are in .clang-tidy.
#
#   tools/clang_tidy.sh [JOBS [COMMITS]]    uses the compile commands of the preset `dev`, which
#                                           compiles each source separately
#
# With COMMITS, checks only the sources that changed in the last COMMITS commits, or all sources if
# git does not know that many.
set -euo pipefail
cd "$(dirname "$0")/.."

sources() {
  if [[ -n "${1:-}" ]] && git rev-parse --quiet --verify "HEAD~$1" >/dev/null; then
    git diff --name-only --diff-filter=d "HEAD~$1" -- 'src/*.cc' 'cli/*.cc'
  else
    find src cli -name '*.cc'
  fi
}

cmake --preset dev >/dev/null
# Ignore options that clang does not know, since the compile commands are for g++.
sources "${2:-}" | tr '\n' '\0' |
  xargs -r -0 -n 1 -P "${1:-2}" clang-tidy -p build/dev --quiet \
    --extra-arg=-Wno-unknown-warning-option 2> >(grep -v 'warnings generated' >&2 || true)
echo "clang-tidy: no findings"
