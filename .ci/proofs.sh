#!/usr/bin/env bash
# Runs the proofs of what we promise about a person's notes: corpora of other
# people's files, random edits and their undo, kill points, several hosts on one
# folder, plans, editors that save in between, full and read-only disks, large
# folders, fuzzing. --size small is CI's part, --size full the whole.
#
#   .ci/proofs.sh [--size small|full] [PART…]
#
# The parts are files, program, kills and fuzz; kills at its small size is among
# the package's own tests.
set -euo pipefail
cd "$(dirname "$0")/.."
size=small
[ "${1-}" = --size ] && { size=$2; shift 2; }
case $size in
  small) fuzztime=500x full=() files=250 sequences=400 kills=40 parts='files program fuzz' ;;
  full) fuzztime=3m full=(-full) files=3000 sequences=10000 kills=2000 parts='files program kills fuzz' ;;
  *) echo "usage: $0 [--size small|full] [PART…]" >&2; exit 2 ;;
esac
parts=${*:-$parts}
MNOTE_CORPUS=$(.ci/corpus.sh --size "$size")
export MNOTE_CORPUS

# files: every file of the corpus split, joined and edited in memory. CI's part
# is one package's, since the whole takes minutes.
files() {
  local corpus=$MNOTE_CORPUS
  [ "$size" = full ] || corpus=${corpus##*:}
  MNOTE_CORPUS=$corpus MNOTE_CORPUS_MIN=$files MNOTE_SEQUENCES=$sequences \
    go test -count=1 -timeout 2h -v -run '^(TestCorpus|TestSequences)$' ./plugin/localkernel/internal/page
}

# program: the real binary over stdio, in a mount namespace of its own.
program() { (cd .ci/proofs && go vet . && unshare --mount go test -count=1 -timeout 4h -v . "${full[@]}") }

# kills: processes that die at each step of a write.
kills() { go test -count=1 -timeout 2h -v -run '^(TestKill|TestS05)' ./plugin/localkernel -kills "$kills"; }

# fuzz: every target of the module, one after the other; MNOTE_FUZZ narrows it
# to packages, such as ./plugin/localkernel/... CI's part counts executions: a
# time that runs out while a worker is slow is taken for a failure by the go
# command ("context deadline exceeded", with no input that fails).
fuzz() {
  local built status=0
  built=$(mktemp -d)
  go list -f '{{.Dir}}' ${MNOTE_FUZZ:-./...} | while read -r dir; do
    local targets
    targets=$(grep -hoE '^func (Fuzz[A-Za-z0-9_]+)' "$dir"/*_test.go 2>/dev/null | sed 's/^func //' | sort -u)
    [ -n "$targets" ] || continue
    go test -c -fuzz=. -o "$built/fuzz.test" "$dir" </dev/null
    for target in $targets; do
      echo "fuzz $target in ${dir#"$PWD"/}"
      (cd "$dir" && "$built/fuzz.test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$fuzztime" -test.fuzzminimizetime 100x \
        -test.parallel "${MNOTE_FUZZ_PARALLEL:-2}" -test.fuzzcachedir "$(go env GOCACHE)/fuzz/mnote-host${dir#"$PWD"}") </dev/null >"$built/log" 2>&1 ||
        { cat "$built/log"; exit 1; }
      grep '^fuzz: elapsed' "$built/log" | tail -1
    done
  done || status=$?
  rm -rf "$built"
  return "$status"
}

for part in $parts; do
  printf -- '-- %s (at %d s)\n' "$part" "$SECONDS"
  "$part"
done
