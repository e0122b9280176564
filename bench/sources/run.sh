#!/usr/bin/env bash
# Middleware over four databases, one system after another, under the delays of a wide-area network:
# ShardingSphere-Proxy 5.1.0 with XA (by Maven) and MariaDB's Spider (by apt) beside Isochron.
#
#   make bench-sources                                # everything, about two hours
#   make bench-sources ARGS="--loads transfer --skews 0.9 --clients 8 --seconds 10"
#   bench/sources/run.sh --deployments mysql --systems spider --wan-scale 0.1
#
# The peers are kept in ISOCHRON_PEERS (default: the user's cache directory), outside of the
# repository. Nothing is installed but Debian packages that are missing, which it names. All
# that is started ends with it, on Ctrl-C too.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Only the peers that take part are fetched: all, unless --systems names others.
systems=shardingsphere,spider previous=
for word in "$@"; do
  case $word in --systems=* | -systems=*) systems=${word#*=} ;; esac
  case $previous in --systems | -systems) systems=$word ;; esac
  previous=$word
done
source bench/sources/peers.sh

if [[ -z ${ISOCHRON_BIN:-} ]]; then # a directory with programs that were built before
  CGO_ENABLED=0 go build -tags gms_pure_go -o bin/ ./cmd/isochron ./bench/sources
  ISOCHRON_BIN=bin
fi
exec "$ISOCHRON_BIN/sources" --isochron "$ISOCHRON_BIN/isochron" --peers "$peers" "$@"
