#!/usr/bin/env bash
# One hot row of three regions, beside a Galera cluster under the same delays: the
# clients are in the region from which the row is led. By bench/galera/compare.sh.
#
#   bench/hotrow/wan.sh [--seconds N] [--rtt 30ms] [--connections "16 64 256"] [--protocol NAME] [--tests "..."] [--json FILE]
#
# Prints the ratio of the two, and how many transactions each commits in the time of
# one round trip between regions: with a row that is held until its commit is
# replicated that cannot be more than one. Needs root.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in -h | --help) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
exec "$here/../galera/compare.sh" --protocol 2pc+2pl-group --rtt 30ms --connections "16 64 256" \
  --tests "oltp_update_non_index $here/ledger.lua" "$@" --at 1 --rows 1 --spreads uniform
