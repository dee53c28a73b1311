#!/usr/bin/env bash
# Prepares a machine to build sheaf: Debian packages, and a Python environment in .venv.
#
#   tools/setup.sh         compilers, libraries, .venv
#   tools/setup.sh --docs  also the packages for the documentation site
#   tools/setup.sh --ci    also the tools that only .ci/run needs: clang, clang-format, clang-tidy,
#                          lld
#
# Does nothing, and uses no network, if everything is installed.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly kBuild=(g++ make cmake ninja-build pkg-config git python3 python3-venv python3-dev)
readonly kLibraries=(libfast-float-dev libxxhash-dev libcli11-dev libfmt-dev nlohmann-json3-dev
  zlib1g-dev libzstd-dev liblz4-dev libsimdjson-dev
  libjpeg-dev libpng-dev libwebp-dev)
readonly kTestLibraries=(libgtest-dev librapidcheck-dev libbenchmark-dev libsndfile1)
readonly kClang=(clang clang-format clang-tidy lld shellcheck)

packages=("${kBuild[@]}" "${kLibraries[@]}" "${kTestLibraries[@]}")
requirements=(tools/requirements.txt)
for argument in "$@"; do
  case "$argument" in
    --docs) requirements+=(tools/requirements-docs.txt) ;;
    --ci)
      packages+=("${kClang[@]}")
      requirements+=(tools/requirements-docs.txt)
      ;;
    *)
      echo "setup: unknown argument '$argument'; possible: --docs, --ci" >&2
      exit 2
      ;;
  esac
done

say() { echo "setup: $*"; }

# Lists the requirements for people without apt-get.
list_needs() {
  cat <<'EOF'
  tools            a C++20 compiler (g++ 12 or clang 14, or newer), CMake 3.25, Ninja, git
  Python           3.11 or newer, with venv and the C headers
  libraries        fast_float, xxHash, CLI11, fmt, nlohmann-json, zlib, zstd, lz4, simdjson;
                   libjpeg-turbo, libpng, libwebp (or CMake with -D SHEAF_IMAGES=OFF)
  test libraries   GoogleTest, RapidCheck, Google Benchmark, libsndfile (only its tests need it)
  as Debian says   g++ make cmake ninja-build pkg-config git python3 python3-venv python3-dev
                   libfast-float-dev libxxhash-dev libcli11-dev libfmt-dev nlohmann-json3-dev
                   zlib1g-dev libzstd-dev liblz4-dev libsimdjson-dev
                   libjpeg-dev libpng-dev libwebp-dev
                   libgtest-dev librapidcheck-dev libbenchmark-dev libsndfile1
EOF
}

at_least() {  # at_least 3.25 3.31.2: succeeds if the second version is not below the first
  [[ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" == "$1" ]]
}

# Prints each missing requirement on a line.
list_missing() {
  local compiler="${CXX:-c++}" tool header version
  for tool in "$compiler" cmake ninja git; do
    command -v "$tool" >/dev/null || echo "  $tool"
  done
  if command -v cmake >/dev/null; then
    version="$(cmake --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')"
    at_least 3.25 "$version" || echo "  cmake 3.25 or newer: found $version"
  fi
  if command -v "$compiler" >/dev/null; then
    for header in fast_float/fast_float.h xxhash.h CLI/CLI.hpp fmt/format.h nlohmann/json.hpp \
      zlib.h zstd.h lz4frame.h simdjson.h jerror.h png.h webp/decode.h \
      gtest/gtest.h rapidcheck.h benchmark/benchmark.h; do
      echo "#include <$header>" | "$compiler" -std=c++20 -x c++ -E - >/dev/null 2>&1 ||
        echo "  header <$header>"
    done
  fi
}

apt_missing() {
  local package
  for package in "${packages[@]}"; do
    [[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" == installed ]] ||
      echo "$package"
  done
}

install_debian_packages() {
  local missing as_root=()
  mapfile -t missing < <(apt_missing)
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      say "not root, and there is no sudo. As root: apt-get install ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  # An unreachable third-party source must not block the packages of Debian itself.
  "${as_root[@]}" apt-get update -q -y </dev/null >/dev/null ||
    say "apt-get update failed in part; going on" >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}" </dev/null
}

install_fuzzer_runtime() {  # the name of the package contains the version of clang
  local version package
  version="$(clang --version | sed -n '1s/.*version \([0-9]*\).*/\1/p')"
  package="libclang-rt-$version-dev"
  packages=("$package")
  install_debian_packages
}

install_system_packages() {
  if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
    if install_debian_packages; then
      [[ " ${packages[*]} " != *" clang "* ]] || install_fuzzer_runtime
      return
    fi
    say "apt-get did not install everything; looking for the tools themselves" >&2
  else
    say "no apt-get here; install these with your own package manager:"
    list_needs
  fi
  local missing
  missing="$(list_missing)"
  if [[ -n "$missing" ]]; then
    printf 'setup: missing:\n%s\n' "$missing" >&2
    exit 2
  fi
  say "all of it is there; going on"
}

# Finds the first Python that is new enough and can make a virtual environment with C headers.
find_python() {
  local python
  for python in "${PYTHON:-python3}" python3.14 python3.13 python3.12 python3.11 \
    /usr/bin/python3; do
    if "$python" - >/dev/null 2>&1 <<'EOF'; then
import ensurepip, os, sys, sysconfig, venv
assert sys.version_info >= (3, 11)
assert os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h"))
EOF
      echo "$python"
      return
    fi
  done
  say "no Python of 3.11 or newer with venv, ensurepip and Python.h" >&2
  list_needs >&2
  exit 2
}

make_environment() {
  local python
  .venv/bin/python -c 'import pip, sys; assert sys.version_info >= (3, 11)' 2>/dev/null && return
  python="$(find_python)"
  say "making .venv with $("$python" --version)"
  rm -rf .venv
  "$python" -m venv .venv
}

# Copies each requirements file into .venv after its packages are installed. An equal copy means
# that nothing is to do.
install_python_packages() {
  local file stamp
  for file in "${requirements[@]}"; do
    stamp=".venv/sheaf-$(basename "$file")"
    [[ -x .venv/bin/python ]] && cmp -s "$file" "$stamp" && continue
    make_environment
    say "installing Python packages into .venv: $file"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -r "$file" </dev/null
    cp "$file" "$stamp"
  done
}

install_system_packages
install_python_packages
