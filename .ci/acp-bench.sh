#!/usr/bin/env bash
# Measures what `mnote-host acp` adds to a conversation, beside the same agent
# alone in one run, and what its relay adds to a call; each figure stands beside
# its bar. Arguments go to `go test`, such as -count 3.
set -euo pipefail
cd "$(dirname "$0")/.."
go test ./transport/acp -run TestNoOvertaking -bench '^Benchmark(RoundTrip|Updates|LongFrame|Relay)$' "$@" |
  tee /dev/stderr |
  awk '
    # figure is the field before its unit.
    function figure(unit,   i) { for (i = 2; i <= NF; i++) if ($i == unit) return $(i - 1) }
    function keep(name, value, less) { if (!(name in best) || (less ? value < best[name] : value > best[name])) best[name] = value }
    function line(what, value, bar, holds) { printf "%-36s %12s   bar %-12s %s\n", what, value, bar, holds ? "holds" : "MISSED" }
    /^BenchmarkRoundTrip\/direct/  { keep("direct", figure("p50-µs") + 0, 1) }
    /^BenchmarkRoundTrip\/wrapped/ { keep("wrapped", figure("p50-µs") + 0, 1) }
    /^BenchmarkUpdates\/wrapped/   { keep("updates", figure("updates/s") + 0, 0) }
    /^BenchmarkLongFrame\/wrapped/ { keep("long", figure("ns/op") / 1e6, 1); keep("rss", figure("peak-MB") + 0, 0) }
    /^BenchmarkRelay/              { keep("relay", figure("p50-µs") + 0, 1) }
    /^ok/                          { ordered = 1 }
    END {
      print "\nbest of the rounds (of memory: worst)"
      line("added to a round trip, p50, µs", sprintf("%.1f", best["wrapped"] - best["direct"]), "≤ 100", best["wrapped"] - best["direct"] <= 100)
      line("updates a second", sprintf("%.0f", best["updates"]), "≥ 300000", best["updates"] >= 300000)
      line("a frame of 64 MiB, ms", sprintf("%.0f", best["long"]), "≤ 300", best["long"] <= 300)
      line("the proxy with it, MB", sprintf("%.1f", best["rss"]), "≤ 40", best["rss"] <= 40)
      line("the relay, p50, µs", sprintf("%.1f", best["relay"]), "≤ 60", best["relay"] <= 60)
      line("overtakings in 2,000 session/new", ordered ? 0 : "some", "0", ordered)
    }'
