#!/usr/bin/env bash
# Unmodified sysbench against a cluster of one region, and against one of five
# from two of its regions concurrently. Made for the run, gone after it. See --help.
set -euo pipefail

usage() {
  cat <<'USAGE'
Runs unmodified sysbench against a node alone, then against five regions from two
of them concurrently, on the same table. Fails if sysbench fails.

  bench/sysbench/run.sh [flags]
  bench/sysbench/run.sh --seconds 5 --clusters 5 --wan-scale 0.1 --tests "oltp_insert oltp_delete"

  --seconds N       of each run (default 10)
  --connections N   in each region (default 8)
  --rows N          of the table (default 10000)
  --clusters "L"    numbers of regions: 1, 5 (default "1 5")
  --wan MAP         the map of the five (default azure5)
  --wan-scale F     multiply its delays by this (default 1)
  --at "L"          the two nodes of the five that clients come to (default "1 3")
  --tests "L"       sysbench tests; oltp_insert+ids is oltp_insert with --auto_inc=off (default: all eight)
  --spread L        how keys are drawn: special (sysbench's default, some hot), uniform
  --ps "L"          how statements are sent: auto (prepared), disable (text) (default "auto disable")
  --json            one JSON object for each line of the table, and nothing else
  --isochron FILE   the program (default bin/isochron; built by make bench-sysbench)

Errors that sysbench does not stop at, and counts: 1213 and 1205 (a transaction lost
to another), and with oltp_insert+ids 1062 (both sides drew the same key).
USAGE
}

seconds=10 connections=8 rows=10000 clusters="1 5" wan=azure5 scale=1 at="1 3" ps="auto disable" spread=special json= program=bin/isochron
tests="oltp_point_select oltp_read_only oltp_update_index oltp_update_non_index oltp_read_write oltp_insert oltp_insert+ids oltp_delete"
while [ $# -gt 0 ]; do
  case $1 in
    --json) json=1; shift; continue ;;
    -h | --help) usage; exit 0 ;;
    --seconds | --connections | --rows | --clusters | --wan | --wan-scale | --at | --tests | --spread | --ps | --isochron)
      [ $# -ge 2 ] || { echo "$1 needs a value; see --help" >&2; exit 2; } ;;
    *) echo "unknown flag $1; see --help" >&2; exit 2 ;;
  esac
  case $1 in
    --seconds) seconds=$2 ;; --connections) connections=$2 ;; --rows) rows=$2 ;; --clusters) clusters=$2 ;;
    --wan) wan=$2 ;; --wan-scale) scale=$2 ;; --at) at=$2 ;; --tests) tests=$2 ;; --spread) spread=$2 ;;
    --ps) ps=$2 ;; --isochron) program=$2 ;;
  esac
  shift 2
done
say() { echo "$*" >&2; }
[ -x "$program" ] || { say "$program is not there: run make build first"; exit 1; }

missing=
command -v sysbench >/dev/null || missing="$missing sysbench"
command -v mariadb >/dev/null || missing="$missing mariadb-client"
if [ -n "$missing" ]; then
  say "installing from Debian:$missing"
  sudo=; [ "$(id -u)" = 0 ] || sudo=sudo
  # shellcheck disable=SC2086 # several names
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >&2
fi

dir=$(mktemp -d "${TMPDIR:-/tmp}/isochron-sysbench.XXXXXX")
nodes=() loads=()
stop() { # processes
  for p in "$@"; do kill "$p" 2>/dev/null || true; done
  for p in "$@"; do wait "$p" 2>/dev/null || true; done
}
cleanup() {
  trap - EXIT INT TERM
  stop "${loads[@]}" "${nodes[@]}"
  rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# free_base prints a port above which those of n nodes are free.
free_base() {
  local p i taken
  for _ in $(seq 100); do
    p=$((20000 + RANDOM % 12000)) taken=
    for ((i = 0; i < $1; i++)); do
      for q in $((p + i)) $((p + 100 + i)) $((p + 200 + i)); do
        if (exec 3<>"/dev/tcp/127.0.0.1/$q") 2>/dev/null; then taken=1; fi
      done
    done
    [ -n "$taken" ] || { echo "$p"; return; }
  done
  say "no free ports were found"; return 1
}

# start makes a cluster of n regions; base is its first port.
start() {
  local n=$1 i
  base=$(free_base "$n")
  if [ "$n" = 1 ]; then
    "$program" init --dir "$dir/c1" --regions here --base-port "$base" >/dev/null
  else
    "$program" init --dir "$dir/c$n" --wan "$wan" --wan-scale "$scale" --base-port "$base" >/dev/null
    [ -f "$dir/c$n/node$n.yaml" ] || { say "--wan $wan does not have $n regions"; exit 2; }
  fi
  password=$(<"$dir/c$n/root.password")
  for ((i = 1; i <= n; i++)); do
    "$program" start --config "$dir/c$n/node$i.yaml" >"$dir/node$i.log" 2>&1 &
    nodes+=($!)
  done
  for ((i = 1; i <= n; i++)); do await "$i"; done
}
sql() { MYSQL_PWD=$password mariadb --no-defaults -h 127.0.0.1 -P "$((base + 99 + $1))" -u root "${@:2}"; }
await() {
  for _ in $(seq 300); do sql "$1" -e 'SELECT 1' >/dev/null 2>&1 && return; sleep 0.2; done
  say "node $1 did not start; its log:"; cat "$dir/node$1.log" >&2; return 1
}
region() { sed -n 's/^region: *//p' "$dir/c$1/node$2.yaml"; } # number of regions, node

bench() { # node, way of statements, test, command
  local test=$3 more=()
  # Ids are made by sysbench here: two that are alike end up with the same key at times.
  if [ "$test" = oltp_insert+ids ]; then test=oltp_insert more=(--auto_inc=off); fi
  local db=sbtest ignore=1213,1205
  [ "${#more[@]}" = 0 ] || db=sbtest_ids ignore=1213,1205,1062
  # A seed for each place: with the same, both would draw the same keys and values.
  sysbench "$test" --db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$((base + 99 + $1))" --mysql-user=root \
    --mysql-password="$password" --mysql-db=$db --mysql-ignore-errors=$ignore --db-ps-mode="$2" --tables=1 \
    --table-size="$rows" --rand-type="$spread" --rand-seed=$(($(date +%s) + 1000 * $1)) --threads="$connections" --time="$seconds" --percentile=95 "${more[@]}" "$4"
}
fresh() { # way: the tables again, as the last tests have changed them
  local d
  for d in sbtest sbtest_ids; do sql 1 -e "DROP DATABASE IF EXISTS $d; CREATE DATABASE $d"; done
  for d in oltp_read_write oltp_insert+ids; do
    bench 1 "$1" $d prepare >"$dir/prepare.log" 2>&1 || { say "sysbench prepare failed:"; cat "$dir/prepare.log" >&2; exit 1; }
  done
}

failed=
measure() { # regions, way, test, nodes
  local n=$1 way=$2 test=$3 i rc=0; shift 3
  loads=()
  for i in "$@"; do
    bench "$i" "$way" "$test" run >"$dir/run$i" 2>&1 &
    loads+=($!)
  done
  for i in "${loads[@]}"; do wait "$i" || rc=1; done
  loads=()
  for i in "$@"; do show "$n" "$way" "$test" "$i"; done
  [ "$rc" = 0 ] || failed=1
}
show() { # regions, way, test, node
  local where; where=$(region "$1" "$4")
  if ! grep -q 'transactions:' "$dir/run$4"; then
    say "sysbench $3 ($2) at $where failed:"; grep -m3 -E 'FATAL|error' "$dir/run$4" >&2 || tail -5 "$dir/run$4" >&2
    failed=1
  fi
  awk -v n="$1" -v way="$2" -v test="$3" -v at="$where" -v json="$json" -v c="$connections" -v s="$seconds" -v scale="$scale" '
    /transactions:/ { gsub(/[(]/, ""); tps = $3 }
    /ignored errors:/ { lost = $3 }
    /reconnects:/ { again = $2 }
    /95th percentile:/ { p95 = $3 }
    END {
      if (json) printf "{\"test\":\"%s\",\"statements\":\"%s\",\"regions\":%d,\"wan_scale\":%s,\"at\":\"%s\",\"connections\":%d,\"seconds\":%d,\"tps\":%.1f,\"p95_ms\":%.2f,\"ignored_errors\":%d,\"reconnects\":%d}\n", test, way, n, scale, at, c, s, tps, p95, lost, again
      else printf "%-22s %-8s %7d  %-8s %10.1f %10.2f %8d %10d\n", test, way, n, at, tps, p95, lost, again
    }' "$dir/run$4"
}

[ -n "$json" ] || printf '%-22s %-8s %7s  %-8s %10s %10s %8s %10s\n' test ps-mode regions at tps p95ms ignored reconnects
for n in $clusters; do
  sides=1
  [ "$n" = 1 ] || sides=$at
  start "$n"
  for way in $ps; do
    fresh "$way"
    # shellcheck disable=SC2086 # several nodes
    for test in $tests; do measure "$n" "$way" "$test" $sides; done
  done
  stop "${nodes[@]}"
  nodes=()
done
[ -z "$failed" ] || { say "sysbench failed; see above"; exit 1; }
