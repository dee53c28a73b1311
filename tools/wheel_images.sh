#!/usr/bin/env bash
# Builds libjpeg-turbo, libpng and libwebp as position-independent archives for a shared library.
# The archives in Debian packages are not position independent, so only programs can use them.
#
#   tools/wheel_images.sh FOLDER TOOLS HEADERS
#
# FOLDER gets usr/include and usr/lib. TOOLS is a folder with CMake, Ninja, and a Python that has
# ziglang. HEADERS is a folder with zlib.h. The sources are Debian's, with Debian's patches, so that
# an image has the same pixels as in a build on Debian. Nothing outside FOLDER changes.
set -euo pipefail

readonly kFolder="$1" kTools="$2" kHeaders="$3"
readonly kScript="${BASH_SOURCE[0]}"

# shellcheck source=tools/wheel_apt.sh
source "$(dirname "${BASH_SOURCE[0]}")/wheel_apt.sh"

fetch() {
  update_own_apt
  own_apt source libjpeg-turbo libpng1.6 libwebp
  command -v nasm >/dev/null && return
  own_apt download nasm
  dpkg -x nasm_*.deb "$kFolder/nasm"
}

make_compiler() {
  local zig
  zig="$("$kTools/python" -c 'import pathlib, ziglang
print(pathlib.Path(ziglang.__file__).parent / "zig")')"
  printf '#!/bin/sh\nexec "%s" cc -target x86_64-linux-gnu.2.28 "$@"\n' "$zig" >"$kFolder/cc"
  chmod +x "$kFolder/cc"
}

compile() {  # compile SOURCES OPTION...
  local sources="$1"
  shift
  "$kTools/cmake" -G Ninja -S "$sources" -B "$sources/build" -Wno-dev \
    -D CMAKE_BUILD_TYPE=Release -D CMAKE_C_COMPILER="$kFolder/cc" \
    -D CMAKE_MAKE_PROGRAM="$kTools/ninja" -D CMAKE_POLICY_VERSION_MINIMUM=3.5 \
    -D CMAKE_POSITION_INDEPENDENT_CODE=ON -D CMAKE_INSTALL_PREFIX="$kFolder/usr" \
    -D CMAKE_INSTALL_LIBDIR="$kFolder/usr/lib" -D BUILD_SHARED_LIBS=OFF "$@"
  "$kTools/cmake" --build "$sources/build"
  "$kTools/cmake" --install "$sources/build"
}

compile_all() {
  local nasm
  nasm="$(command -v nasm || echo "$kFolder/nasm/usr/bin/nasm")"
  # With -fPIC for C, the assembly code becomes position independent, too.
  compile libjpeg-turbo-* -D ENABLE_SHARED=OFF -D WITH_TURBOJPEG=OFF -D REQUIRE_SIMD=ON \
    -D CMAKE_ASM_NASM_COMPILER="$nasm" -D CMAKE_C_FLAGS=-fPIC
  compile libpng1.6-* -D PNG_SHARED=OFF -D PNG_TESTS=OFF -D PNG_EXECUTABLES=OFF \
    -D ZLIB_INCLUDE_DIR="$kHeaders" -D ZLIB_LIBRARY=z
  compile libwebp-* -D WEBP_BUILD_ANIM_UTILS=OFF -D WEBP_BUILD_CWEBP=OFF -D WEBP_BUILD_DWEBP=OFF \
    -D WEBP_BUILD_GIF2WEBP=OFF -D WEBP_BUILD_IMG2WEBP=OFF -D WEBP_BUILD_VWEBP=OFF \
    -D WEBP_BUILD_WEBPINFO=OFF -D WEBP_BUILD_LIBWEBPMUX=OFF -D WEBP_BUILD_WEBPMUX=OFF \
    -D WEBP_BUILD_EXTRAS=OFF
}

cmp -s "$kScript" "$kFolder/stamp" && exit
stamp="$(cat "$kScript")"
rm -rf "${kFolder:?}"
mkdir -p "$kFolder/sources"
cd "$kFolder/sources"
fetch
make_compiler
trap 'tail -n 30 "$kFolder/log" >&2' ERR
set -o errtrace
compile_all >"$kFolder/log" 2>&1
echo "$stamp" >"$kFolder/stamp"
