#!/usr/bin/env bash
# One hot row, beside MariaDB on this machine: see --help.
set -euo pipefail

usage() {
  cat <<'USAGE'
One row that everybody changes, and the same on many rows: Isochron beside MariaDB
without a binary log and with one that is synced at each commit, on the same disk,
every commit on it before it is acknowledged. By bench/mariadb/compare.sh: the
sides take turns, run by run, so that their ratios mean something on a busy machine.

  bench/hotrow/run.sh [flags]
  bench/hotrow/run.sh --seconds 5 --connections "16 64" --parts "hot ledger"

  --seconds N        of each run (default 10)
  --repeat N         rounds; the table shows means (default 1)
  --connections "L"  numbers of connections (default "16 64 256 1024")
  --protocol NAME    Isochron's row of choices (default 2pc+2pl-group)
  --parts "L"        hot, uniform, ledger (default: all)
  --json             one JSON object for each line, and nothing else
  --isochron FILE    the program (default bin/isochron; built by make bench-hotrow)
  --profile DIR      keep a CPU profile of Isochron for each run there

hot is sysbench's oltp_update_non_index on a table of one row, uniform the same on
100,000 rows, ledger a transaction: BEGIN, SELECT ... FOR UPDATE of one row, UPDATE of
it, INSERT into a ledger, COMMIT (bench/hotrow/ledger.lua). boundms is what the
slowest twentieth may take if the queue before the row is fair: 1.3 x connections /
throughput.
USAGE
}

here=$(cd "$(dirname "$0")" && pwd)
seconds=10 repeat=1 connections="16 64 256 1024" protocol=2pc+2pl-group parts="hot uniform ledger" json= program=bin/isochron profile=
while [ $# -gt 0 ]; do
  case $1 in
    --json) json=1; shift; continue ;;
    -h | --help) usage; exit 0 ;;
    --seconds | --repeat | --connections | --protocol | --parts | --isochron | --profile)
      [ $# -ge 2 ] || { echo "$1 needs a value; see --help" >&2; exit 2; } ;;
    *) echo "unknown flag $1; see --help" >&2; exit 2 ;;
  esac
  case $1 in
    --seconds) seconds=$2 ;; --repeat) repeat=$2 ;; --connections) connections=$2 ;; --protocol) protocol=$2 ;;
    --parts) parts=$2 ;; --isochron) program=$2 ;; --profile) profile=$2 ;;
  esac
  shift 2
done

# part runs one part of the table; further flags say what it is.
part() {
  local name=$1; shift
  [ -n "$json" ] || printf '\n%s, %s\n' "$name" "$protocol"
  "$here/../mariadb/compare.sh" --seconds "$seconds" --repeat "$repeat" --connections "$connections" --protocol "$protocol" \
    --isochron "$program" --binlog --bound --tables 1 ${json:+--json} ${profile:+--profile "$profile/$name"} "$@"
}
for p in $parts; do
  case $p in
    hot) part hot --rows 1 --spread uniform --tests oltp_update_non_index ;;
    uniform) part uniform --rows 100000 --spread uniform --tests oltp_update_non_index ;;
    ledger) part ledger --rows 1 --tests "$here/ledger.lua" ;;
    *) echo "no part $p; there are hot, uniform and ledger" >&2; exit 2 ;;
  esac
done
