#!/bin/sh
# Prints the checksum of the data that a spec delivers, as checksum.cc and checksum.py do.
#
#   checksum.sh SPEC [MEMORY_LIMIT]
set -eu

speed=$(sheaf read --spec "${1:-train.json}" --memory-limit "${2:-0}" --format none --json)
echo "$speed" |
  sed 's/.*"sequences":\([0-9]*\).*"checksum":"\([0-9a-f]*\)".*/sequences \1, checksum \2/'
