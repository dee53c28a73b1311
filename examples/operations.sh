#!/bin/sh
# Does what operations.cc does: checks, indexes, measures an order, splits and counts.
#
#   operations.sh IN OUT
set -eu

# Prints a field of the JSON object in $1. The other arguments are the path of names and numbers.
field() {
  python3 -c '
import json, sys
value = json.loads(sys.argv[1])
for name in sys.argv[2:]:
    value = value[int(name) if isinstance(value, list) else name]
print(value)' "$@"
}

checked=$(sheaf check "$1" --json 2>/dev/null) || true # bad data are no reason to stop
echo "good $(field "$checked" sequences), left out $(field "$checked" holes)"
indexed=$(sheaf index "$1" --json 2>/dev/null)
echo "indexed $(field "$indexed" sequences)"
echo "$(field "$indexed" index_path) $(field "$indexed" index_bytes)"

order=$(sheaf order "$1" --order keyed --seed 7 --minibatch-size 30 --worker 0/8 --json 2>/dev/null)
noise=$(printf %.3f "$(field "$order" all noise)")
echo "noise $noise, a sweep reads $(field "$order" sweep_bytes) bytes"
i=0
while code=$(field "$order" advice "$i" code 2>/dev/null); do
  echo "advice $code"
  i=$((i + 1))
done

report=$(sheaf convert "$1" "$2" --split train=0.9,test=0.1 --max-length 3 --max-errors 100 \
  --json 2>/dev/null)
for i in 0 1; do
  path=$(field "$report" files "$i" path)
  echo "$path $(field "$report" files "$i" bytes) $(field "$report" files "$i" sequences)"
  counted=$(sheaf stat "$path" --json 2>/dev/null)
  echo "samples $(field "$counted" samples), longest $(field "$counted" lengths max)"
done
