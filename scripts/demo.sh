#!/bin/sh
# From nothing to a dev session on the sample app: the sandbox cluster, the app in it, and Slipway on both.
# Further arguments go to `slipway dev`.
set -eu
cd "$(dirname "$0")/.."
sh scripts/prepare.sh
sandbox() { sh scripts/node.sh sandbox/main.ts "$@"; }
sandbox up
sandbox kubectl apply -f examples/web/deploy.yaml
sandbox kubectl -n demo rollout status deployment/web --timeout=120s
cat >&2 <<'TEXT'

  Starting a dev session on deploy/web. When it is ready:
    open http://127.0.0.1:8080, change the greeting in examples/web/src/server.js, save, reload.
    Ctrl-C puts the cluster back as it was.

TEXT
kubeconfig=$(sandbox kubeconfig)
exec ./slipway dev --kubeconfig "$kubeconfig" -n demo deploy/web --path examples/web/src:/app --port 8080 "$@"
