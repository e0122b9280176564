#!/usr/bin/env bash
# GeoTP and what its paper compares it with, live: the rows ssp, ssp-parallel and geotp over four
# servers under the delays of geotp4, YCSB of five operations from 64 clients that send the
# statements of a transaction in one message.
#
#   bench/sources/table1.sh                              # both parts, about 40 minutes
#   bench/sources/table1.sh --parts table1 --seconds 120 --rounds 3 --lines table1.jsonl
#   bench/sources/table1.sh --parts skews --seconds 5 --rows 1000 --skews 0.9     # a try, 2 minutes
#   bench/sources/table1.sh --systems ssp,ssp-parallel,geotp    # statement by statement
#   bench/sources/table1.sh --central 0     # transactions at one source are at any, not at the first
#
# The part skews: two PostgreSQL and two MariaDB, Zipf 0.3, 0.9 and 1.5, 20 of a hundred
# transactions distributed. The part table1: all MariaDB, mixed, all PostgreSQL (S1, S2 and S3 of
# GeoTP's Table I), 25 and 75 of a hundred, Zipf 0.9. Transactions at one source are at the first,
# beside the middleware, as in the paper's figure 1. Each prints its cells and the ratios of geotp
# over the others, of the means of all rounds. All other flags go to bench/sources/run.sh.
# All that is started ends with it, on Ctrl-C too.
set -euo pipefail
cd "$(dirname "$0")"
parts=skews,table1 systems=ssp-packet,ssp-parallel-packet,geotp-packet seconds=60 warmup=10 rows=100000 skews=0.3,0.9,1.5 central=1 more=()
while (($#)); do
  case $1 in
    -h | --help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' table1.sh; exit ;;
  esac
  (($# > 1)) || { echo "table1.sh: $1 wants a value" >&2; exit 2; }
  case $1 in
    --parts) parts=$2 ;; --systems) systems=$2 ;; --seconds) seconds=$2 ;; --warmup) warmup=$2 ;; --rows) rows=$2 ;; --skews) skews=$2 ;; --central) central=$2 ;;
    --*) more+=("$1" "$2") ;;
    *) echo "table1.sh: $1 is no option; there are --parts --systems --seconds --warmup --rows --skews --central, and those of run.sh" >&2; exit 2 ;;
  esac
  shift 2
done
for part in ${parts//,/ }; do
  [[ $part == skews || $part == table1 ]] || { echo "table1.sh: --parts $part: there are skews and table1" >&2; exit 2; }
done
set -m # the run is a process group of its own, and is asked to end once: a second signal would kill it immediately
child=''
trap '[[ -z $child ]] || { kill -TERM -- "-$child" && wait "$child"; } 2>/dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
measure() {
  ./run.sh --loads ycsb-txn --clients 64 --systems "$systems" --seconds "$seconds" --warmup "$warmup" --rows "$rows" --central "$central" "$@" ${more[@]+"${more[@]}"} &
  child=$!
  wait "$child"
  child=''
}
for part in ${parts//,/ }; do
  case $part in
    skews)
      echo "## Skews: two PostgreSQL and two MariaDB"
      measure --deployments mixed --skews "$skews" --distributed 20 ;;
    table1)
      echo "## Table I: mysql is S1, mixed S2, pg S3"
      measure --deployments mysql,mixed,pg --skews 0.9 --distributed 25,75 ;;
  esac
  echo
done
