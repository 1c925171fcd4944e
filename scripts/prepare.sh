#!/bin/sh
# Makes a clone ready to run: the locked npm packages and the helper for the containers. Quick when nothing changed,
# silent on standard output; what it does the first time is told on standard error.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
stamp="$root/node_modules/.slipway-lock"
if ! cmp -s "$root/package-lock.json" "$stamp"; then
  echo "slipway: installing npm packages (first run or changed lock file)" >&2
  # npm picks packages for the Node that runs it, so it runs under the one that Slipway uses.
  npm=$(command -v npm) || { echo "slipway: npm was not found. Install Node 24 with npm and run this again." >&2; exit 1; }
  (cd "$root" && sh scripts/node.sh "$(readlink -f "$npm")" ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
  cp "$root/package-lock.json" "$stamp"
fi
sh "$root/scripts/node.sh" "$root/scripts/build-helper.ts" --quiet >&2
