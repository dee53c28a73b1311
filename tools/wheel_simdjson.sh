#!/usr/bin/env bash
# Builds simdjson as an archive for a shared library. Debian has no archive, and its shared library
# needs a newer C library than the wheel allows.
#
#   tools/wheel_simdjson.sh FOLDER COMPILER
#
# FOLDER gets usr/include and usr/lib. COMPILER is the compiler of the wheel. The source is
# Debian's, with Debian's patches. Nothing outside FOLDER changes.
set -euo pipefail

readonly kFolder="$1" kCompiler="$2"
readonly kScript="${BASH_SOURCE[0]}"
# shellcheck source=tools/wheel_apt.sh
source "$(dirname "$kScript")/wheel_apt.sh"

cmp -s "$kScript" "$kFolder/stamp" && exit
stamp="$(cat "$kScript")"
rm -rf "${kFolder:?}"
mkdir -p "$kFolder/sources" "$kFolder/usr/include" "$kFolder/usr/lib"
cd "$kFolder/sources"
update_own_apt
own_apt source simdjson
cd simdjson-*/singleheader
"$kCompiler" -std=c++17 -O3 -DNDEBUG -fPIC -c simdjson.cpp -o simdjson.o
rm -f "$kFolder/usr/lib/libsimdjson.a"
ar rcs "$kFolder/usr/lib/libsimdjson.a" simdjson.o
cp simdjson.h "$kFolder/usr/include/"
echo "$stamp" >"$kFolder/stamp"
