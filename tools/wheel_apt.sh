# Provides an apt-get with its own sources and lists under $kFolder/apt, since the sources of this
# machine may lack deb-src. For scripts that compile Debian sources for the wheel.
# shellcheck shell=bash

: "${kFolder:?the script that includes this one sets it}"

own_apt() {
  apt-get -q -o Dir::Etc::sourcelist="$kFolder/apt/sources.list" -o Dir::Etc::sourceparts=- \
    -o Dir::State::lists="$kFolder/apt/lists" -o Dir::Cache="$kFolder/apt/cache" \
    -o APT::Sandbox::User="$(id -un)" -o APT::Architectures::=amd64 "$@" >/dev/null
}

update_own_apt() {
  local url="http://deb.debian.org/debian"
  local keys="/usr/share/keyrings/debian-archive-keyring.gpg"
  mkdir -p "$kFolder/apt/lists/partial" "$kFolder/apt/cache/archives/partial"
  printf '%s [signed-by=%s] %s bookworm main\n' deb-src "$keys" "$url" deb "$keys" "$url" \
    >"$kFolder/apt/sources.list"
  own_apt update
}
