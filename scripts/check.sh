#!/bin/sh
# Everything that can be said about the code without running it: format, types, lint, dead code, generated code, Go vet.
set -eu
cd "$(dirname "$0")/.."
sh scripts/prepare.sh
node() { sh scripts/node.sh "$@"; }
echo "format"; node node_modules/prettier/bin/prettier.cjs --check --log-level warn .
echo "types"; for project in . renderer tests/window bench; do node node_modules/typescript/bin/tsc -p "$project"; done
echo "lint"; node node_modules/eslint/bin/eslint.js --max-warnings 0 .
echo "dead code"; node node_modules/knip/bin/knip.js
echo "generated code"; node scripts/generate-proto.ts --check
echo "go"; (cd helper && gofmt -l . | grep -v '^internal/gen/' && { echo "gofmt: the files above are not formatted" >&2; exit 1; } || true; go vet ./...)
