#!/usr/bin/env bash
# Runs the long proofs: fuzzing, corpora of other people's files, kill points,
# random edits. --size small is CI's part, --size full the whole.
set -euo pipefail
cd "$(dirname "$0")/.."
size=small
[ "${1-}" = --size ] && size=$2
case $size in
  small) fuzztime=5s ;;
  full) fuzztime=3m ;;
  *) echo "usage: $0 [--size small|full]" >&2; exit 2 ;;
esac

# Every fuzz target of the module, one after the other.
go list -f '{{.Dir}}' ./... | while read -r dir; do
  grep -hoE '^func (Fuzz[A-Za-z0-9_]+)' "$dir"/*_test.go 2>/dev/null | sed 's/^func //' | sort -u | while read -r target; do
    echo "fuzz $target in ${dir#"$PWD"/}"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$fuzztime" -fuzzminimizetime 10s "$dir" </dev/null
  done
done
