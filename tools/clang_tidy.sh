#!/usr/bin/env bash
# Runs clang-tidy (.clang-tidy says which checks) over the library and the command line.
#
#   tools/clang_tidy.sh [JOBS [COMMITS]]    with the compile commands of the preset `dev`, in which
#                                           each source is compiled by itself
#
# With COMMITS, only over the sources that changed in the last so many; all where git cannot tell.
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
# The commands are g++'s: options that clang does not know are no finding.
sources "${2:-}" | tr '\n' '\0' |
  xargs -r -0 -n 1 -P "${1:-2}" clang-tidy -p build/dev --quiet \
    --extra-arg=-Wno-unknown-warning-option 2> >(grep -v 'warnings generated' >&2 || true)
echo "clang-tidy: no findings"
