#!/bin/sh
# Makes a clone ready to run: the locked npm packages and the helper for the containers. Quick when nothing changed,
# silent on standard output; what it does the first time is told on standard error.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
stamp="$root/node_modules/.slipway-lock"
# Two that start at once must not both install: npm would take away the packages that the other one runs with.
lock="$root/.install-lock"
is_current() { cmp -s "$root/package-lock.json" "$stamp"; }
take_lock() {
  until mkdir "$lock" 2>/dev/null; do
    holder=$(cat "$lock/pid" 2>/dev/null || true)
    # A holder that was killed leaves its lock; one without a number yet is just beginning.
    if [ -n "$holder" ] && ! kill -0 "$holder" 2>/dev/null; then rm -rf "$lock"; else sleep 1; fi
  done
  echo $$ >"$lock/pid"
  trap 'rm -rf "$lock"' EXIT
  trap 'exit 130' INT TERM HUP
}
# npm would take the packages of the other clone away under its feet, also while that one runs.
refuse_link() {
  [ -L "$root/node_modules" ] || return 0
  echo "slipway: $root/node_modules is a symbolic link, and what it leads to has other packages than this clone needs. Nothing was installed. Remove the link (rm node_modules) and run this again: a clone has its own packages." >&2
  exit 1
}
install_packages() {
  echo "slipway: installing npm packages (first run or changed lock file)" >&2
  # npm picks packages for the Node that runs it, so it runs under the one that Slipway uses.
  npm=$(command -v npm) || { echo "slipway: npm was not found. Install Node 24 with npm and run this again." >&2; exit 1; }
  (cd "$root" && sh scripts/node.sh "$(readlink -f "$npm")" ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
  cp "$root/package-lock.json" "$stamp"
}
if ! is_current; then
  refuse_link
  take_lock
  if ! is_current; then
    refuse_link
    install_packages
  fi
  rm -rf "$lock"
  trap - EXIT INT TERM HUP
fi
sh "$root/scripts/node.sh" "$root/scripts/build-helper.ts" --quiet >&2
