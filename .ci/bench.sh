#!/usr/bin/env bash
# Measures the host beside a hand-written loop and mcp-go's ServeStdio and prints
# the ratios. Arguments: -rounds N, -part F (of the work of a round).
set -euo pipefail
cd "$(dirname "$0")/bench"
go run . "$@"
