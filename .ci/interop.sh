#!/usr/bin/env bash
# Runs the interop suite: real clients, installed by peers.sh, against a fresh
# build. Arguments go to `go test`, such as -run TestHermes -v.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
MNOTE_CI_CACHE=$("$here/peers.sh")
export MNOTE_CI_CACHE
cd "$here/interop"
# Most tests wait for other programs, not for a processor.
go test -count=1 -parallel 8 -timeout 20m "$@" ./...
