#!/usr/bin/env bash
# Builds the binary as a release has it: .ci/build.sh OUT [further arguments of go build].
# GOOS and GOARCH are the caller's. Beside a plain stripped build:
#   - HTTP/2 is left out: a kernel is spoken to by HTTP/1.1 alone (transport/kernel/pool.go).
#   - Functions begin at 16 bytes and not at 32.
#   - What is inlined is written twice, and its places a third time into the tables of lines. That
#     pays where calls pass and is done there alone; the rest (TLS, Markdown, the commands) is
#     compiled without. It costs 3 % of a start's processor time, and nothing of a call's that
#     could be measured.
set -euo pipefail
out=$(realpath -m "$1")
shift
cd "$(dirname "$0")/.."
inline=()
for hot in runtime/... internal/... sync/... syscall unicode/utf8 strings bytes bufio strconv encoding/json \
  io context time net net/http net/textproto github.com/tidwall/gjson modernc.org/...; do
  inline+=("-gcflags=$hot=")
done
for ours in tools/... capabilities plugin plugin/internal/... transport/stdio transport/mcp transport/kernel; do
  inline+=("-gcflags=github.com/mnote-dev/mnote-host/$ours=")
done
CGO_ENABLED=0 go build -trimpath -tags nethttpomithttp2 -ldflags='-s -w -funcalign=16' \
  -gcflags=all=-l "${inline[@]}" "$@" -o "$out" ./cmd/mnote-host
