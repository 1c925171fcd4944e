#!/bin/sh
# Everything that can be said about the code without running it: format, types, lint, dead code, generated code, Go vet.
# Goes on after a complaint, so that one run tells all of them.
set -eu
cd "$(dirname "$0")/.."
sh scripts/prepare.sh
node() { sh scripts/node.sh "$@"; }
failed=
check() {
  name=$1
  shift
  echo "$name"
  "$@" || failed="$failed $name,"
}
types() {
  for project in . renderer tests/window bench; do
    node node_modules/typescript/bin/tsc -p "$project" || return 1
  done
}
go_sources() {
  cd helper
  unformatted=$(gofmt -l . | grep -v '^internal/gen/' || true)
  [ -z "$unformatted" ] || { echo "gofmt: not formatted: $unformatted" >&2; return 1; }
  go vet ./...
}
check format node node_modules/prettier/bin/prettier.cjs --check --log-level warn .
check types types
check lint node node_modules/eslint/bin/eslint.js --max-warnings 0 .
check 'dead code' node node_modules/knip/bin/knip.js
check 'generated code' node scripts/generate-proto.ts --check
check go go_sources
[ -z "$failed" ] || { echo "failed:${failed%,}" >&2; exit 1; }
