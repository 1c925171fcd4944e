#!/bin/sh
# Every test on a real cluster: checks, unit tests, Go tests, then the sandbox cluster and the tests that need it.
# Ends with one line: N passed, N failed, N skipped. Arguments choose parts: check unit go cluster e2e sandbox window.
set -eu
cd "$(dirname "$0")/.."
sh scripts/prepare.sh
exec sh scripts/node.sh scripts/test.ts "$@"
