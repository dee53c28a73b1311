#!/usr/bin/env bash
# Builds and tests a wheel that installs without a compiler and without Debian packages.
#
#   tools/wheel.sh [PYTHON [ARGUMENT...]]    dist/sheaf_data-*.whl, for this Python
#
# The default of PYTHON is the Python of .venv. `pip wheel` receives the other arguments.
#
# zig's clang links against the symbols of glibc 2.28; all other libraries are linked statically.
# CMake reads cmake/wheel_toolchain.cmake. The script requires Debian: the libraries come from
# Debian packages. simdjson and the image codecs are compiled from Debian sources
# (tools/wheel_simdjson.sh, tools/wheel_images.sh). To build without the codecs:
# tools/wheel.sh PYTHON -C cmake.define.SHEAF_IMAGES=OFF
set -euo pipefail
cd "$(dirname "$0")/.."

python="$(command -v "${1:-.venv/bin/python}")"
version="$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')"
readonly python version
shift $(($# > 0 ? 1 : 0))
readonly kFolder="$PWD/build/wheel/$version" # everything that this script makes, except dist/
readonly kTools="$kFolder/tools/bin"         # programs of the build environment
readonly kImages="$PWD/build/wheel/images"   # the codecs, shared by all Pythons
readonly kSimdjson="$PWD/build/wheel/simdjson" # simdjson, shared by all Pythons
readonly kPackages=(libfast-float-dev libxxhash-dev libcli11-dev libfmt-dev libfmt9
  nlohmann-json3-dev zlib1g-dev libzstd-dev liblz4-dev)

say() { echo "wheel: $*"; }

make_tools() {
  [[ -x $kTools/auditwheel ]] && cmp -s tools/requirements-wheel.txt "$kFolder/stamp" && return
  say "installing the tools of tools/requirements-wheel.txt into $kFolder/tools"
  mkdir -p "$kFolder"
  "$python" -m venv --clear "$kFolder/tools"
  "$kTools/python" -m pip install --quiet --disable-pip-version-check \
    -r tools/requirements-wheel.txt
  cp tools/requirements-wheel.txt "$kFolder/stamp"
}

# Copies headers, archives and CMake files of the libraries. The rest of /usr/include belongs to the
# C library of this machine.
copy_libraries() {
  local file
  rm -rf "${kFolder:?}/usr"
  dpkg -L "${kPackages[@]}" | grep -E '^/usr/(include/|share/cmake/|lib/.*(/cmake/|\.a$|\.so))' |
    while read -r file; do
      [[ -d $file ]] || install -p -D "$file" "$kFolder$file"
    done
}

make_images() {
  [[ " $* " == *"SHEAF_IMAGES=OFF"* ]] && return
  [[ -e $kImages/stamp ]] || say "compiling the codecs of images, which takes a minute"
  tools/wheel_images.sh "$kImages" "$kTools" "$kFolder/usr/include"
}

make_compiler() {
  local zig
  zig="$("$kTools/python" -c 'import pathlib, ziglang
print(pathlib.Path(ziglang.__file__).parent / "zig")')"
  printf '#!/bin/sh\nexec "%s" c++ -target x86_64-linux-gnu.2.28 "$@"\n' "$zig" >"$kFolder/c++"
  chmod +x "$kFolder/c++"
}

make_simdjson() {
  [[ -e $kSimdjson/stamp ]] || say "compiling simdjson"
  tools/wheel_simdjson.sh "$kSimdjson" "$kFolder/c++"
}

build() {
  say "compiling, which takes some minutes"
  rm -rf "${kFolder:?}/whole"
  SHEAF_WHEEL_FOLDER="$kFolder" SHEAF_WHEEL_IMAGES="$kImages" SHEAF_WHEEL_SIMDJSON="$kSimdjson" \
    PATH="$kTools:$PATH" \
    "$kTools/python" -m pip wheel . --quiet --disable-pip-version-check --no-deps \
    --no-build-isolation --wheel-dir "$kFolder/whole" -C build-dir="$kFolder/build" \
    -C cmake.args="--toolchain=$PWD/cmake/wheel_toolchain.cmake" "$@"
  mkdir -p dist
  rm -f dist/sheaf_data-*-"$version"-"$version"-*.whl
  PATH="$kTools:$PATH" auditwheel repair --plat manylinux_2_28_x86_64 --only-plat \
    --wheel-dir dist "$kFolder"/whole/sheaf_data-*.whl
}

# Tests the wheel in an environment without compilers, as on a machine that only trains.
test_wheel() {
  local bare="$kFolder/bare" program
  program="$(awk '/^```/ && on {exit} on {print} /^```python/ {on = 1}' README.md)"
  "$python" -m venv --clear "$bare"
  "$bare/bin/python" -m pip install --quiet --disable-pip-version-check "$1"
  env -i PATH="$bare/bin" "$bare/bin/sheaf" check testdata/digits/train.ctf
  env -i PATH="$bare/bin" "$bare/bin/python" -m sheaf --version
  env -i PATH="$bare/bin" "$bare/bin/python" -c "$program"
  [[ " $* " == *"SHEAF_IMAGES=OFF"* ]] ||
    env -i PATH="$bare/bin" "$bare/bin/python" tools/wheel_test.py
}

make_tools
copy_libraries
make_images "$@"
make_compiler
make_simdjson
build "$@"
wheel="$(echo dist/sheaf_data-*-"$version"-"$version"-*.whl)"
test_wheel "$wheel" "$@"
say "$wheel: $(stat -c %s "$wheel") bytes"
