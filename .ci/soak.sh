#!/usr/bin/env bash
# Keeps five hosts on one state busy; nothing may grow. Arguments: -for 1h, -rate N,
# -hosts N.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$here/build.sh" "$dir/mnote-host"
(cd "$here/bench" && go build -o "$dir/soak" ./soak)
"$dir/soak" -host "$dir/mnote-host" "$@"
