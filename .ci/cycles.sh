#!/usr/bin/env bash
# Starts and stops the host 1,000 times in four ways; nothing may be left. Arguments:
# -n N.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$here/build.sh" "$dir/mnote-host"
(cd "$here/bench" && go build -o "$dir/cycles" ./cycles)
"$dir/cycles" -host "$dir/mnote-host" "$@"
