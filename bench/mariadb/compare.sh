#!/usr/bin/env bash
# Compares Isochron with MariaDB on this machine: the same client program, the
# same disk, each test on one side and then immediately on the other. Both are made
# for the run and gone after it. See --help.
set -euo pipefail

usage() {
  cat <<'USAGE'
Compares Isochron with MariaDB: unmodified sysbench, then TPC-C with one warehouse.

  bench/mariadb/compare.sh [flags]
  bench/mariadb/compare.sh --seconds 5 --connections "1 16" --tests oltp_point_select

  --seconds N        of each run (default 10)
  --repeat N         rounds; the table shows the sums over them (default 1)
  --connections "L"  numbers of connections (default "1 16 128")
  --tests "L"        sysbench tests, Lua files with prepare, run and check, and tpcc (default: point select, both updates, read_write, tpcc)
  --tables N         of sysbench (default 4)
  --rows N           rows of each table (default 10000)
  --spread L         how sysbench draws keys: special (its default, some hot), uniform
  --protocol NAME    Isochron's row of choices (default: that of init)
  --serializable     a second MariaDB that runs SERIALIZABLE, as Isochron always does
  --binlog           a second MariaDB with sync_binlog=1 beside the first
  --bound            the p95 beside what a fair queue would give: 1.3 x connections / throughput
  --json             one JSON object for each line of the table, and nothing else
  --isochron FILE    the program (default bin/isochron; built by make bench-mariadb)
  --profile DIR      keep a CPU profile of Isochron for each test there
USAGE
}

seconds=10 repeat=1 connections="1 16 128" tables=4 rows=10000 spread=special protocol= binlog= serializable= bound= json= program=bin/isochron profile=
tests="oltp_point_select oltp_update_index oltp_update_non_index oltp_read_write tpcc"
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=$2; shift 2 ;;
    --repeat) repeat=$2; shift 2 ;;
    --connections) connections=$2; shift 2 ;;
    --tests) tests=$2; shift 2 ;;
    --tables) tables=$2; shift 2 ;;
    --rows) rows=$2; shift 2 ;;
    --spread) spread=$2; shift 2 ;;
    --protocol) protocol=$2; shift 2 ;;
    --binlog) binlog=1; shift ;;
    --serializable) serializable=1; shift ;;
    --bound) bound=1; shift ;;
    --json) json=1; shift ;;
    --isochron) program=$2; shift 2 ;;
    --profile) profile=$2; shift 2 ;;
    -h | --help) usage; exit 0 ;;
    *) echo "unknown flag $1; see --help" >&2; exit 2 ;;
  esac
done
say() { echo "$*" >&2; }
[ -x "$program" ] || { say "$program is not there: run make build first"; exit 1; }

missing=
command -v mariadbd >/dev/null || [ -x /usr/sbin/mariadbd ] || missing="$missing mariadb-server"
command -v sysbench >/dev/null || missing="$missing sysbench"
if [ -n "$missing" ]; then
  say "installing from Debian:$missing"
  sudo=; [ "$(id -u)" = 0 ] || sudo=sudo
  # No service is wanted: the run starts a server of its own.
  $sudo env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq $missing >&2
fi
PATH=$PATH:/usr/sbin

dir=$(mktemp -d "${TMPDIR:-/tmp}/isochron-mariadb.XXXXXX")
pids=()
cleanup() {
  trap - EXIT INT TERM
  for p in "${pids[@]}"; do kill "$p" 2>/dev/null || true; done
  for p in "${pids[@]}"; do wait "$p" 2>/dev/null || true; done
  rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# free_port prints a port p for which p, p+100 and p+200 are free now.
free_port() {
  local p
  for _ in $(seq 100); do
    p=$((20000 + RANDOM % 20000))
    if ! (exec 3<>"/dev/tcp/127.0.0.1/$p") 2>/dev/null && ! (exec 3<>"/dev/tcp/127.0.0.1/$((p + 100))") 2>/dev/null && ! (exec 3<>"/dev/tcp/127.0.0.1/$((p + 200))") 2>/dev/null; then
      echo "$p"; return
    fi
  done
  say "no free port was found"; return 1
}

declare -A port password
sql() { MYSQL_PWD=${password[$1]:-} mariadb --no-defaults -h 127.0.0.1 -P "${port[$1]}" -u root "${@:2}"; }
await() {
  for _ in $(seq 300); do sql "$1" -e 'SELECT 1' >/dev/null 2>&1 && return; sleep 0.2; done
  say "$1 did not start; its log:"; cat "$dir/$1.log" >&2; return 1
}

start_isochron() {
  local base; base=$(free_port)
  "$program" init --dir "$dir/isochron" --regions here --base-port "$base" ${protocol:+--protocol "$protocol"} >/dev/null
  port[isochron]=$((base + 100))
  password[isochron]=$(<"$dir/isochron/root.password")
  [ -z "$profile" ] || { pprof=$((base + 200)); echo 'http_profiles: true' >>"$dir/isochron/node1.yaml"; }
  "$program" start --config "$dir/isochron/node1.yaml" >"$dir/isochron.log" 2>&1 &
  pids+=($!)
  await isochron
}
start_mariadb() { # name, further flags
  local name=$1; shift
  port[$name]=$(free_port)
  mariadb-install-db --no-defaults --user="$(id -un)" --datadir="$dir/$name" --auth-root-authentication-method=normal >"$dir/$name.log" 2>&1
  mariadbd --no-defaults --user="$(id -un)" --datadir="$dir/$name" --socket="$dir/$name.sock" --pid-file="$dir/$name.pid" \
    --bind-address=127.0.0.1 --port="${port[$name]}" --innodb-flush-log-at-trx-commit=1 --max-connections=2000 "$@" >>"$dir/$name.log" 2>&1 &
  pids+=($!)
  await "$name"
}

sides="isochron mariadb"
start_isochron
start_mariadb mariadb --skip-log-bin
if [ -n "$serializable" ]; then start_mariadb mariadb-serial --skip-log-bin --transaction-isolation=SERIALIZABLE; sides="$sides mariadb-serial"; fi
if [ -n "$binlog" ]; then start_mariadb mariadb-binlog --log-bin --sync-binlog=1; sides="$sides mariadb-binlog"; fi

bench() { # side, test, connections, command
  sysbench "$2" --mysql-host=127.0.0.1 --mysql-port="${port[$1]}" --mysql-user=root --mysql-password="${password[$1]:-}" --mysql-db=sbtest --db-ps-mode=auto \
    --tables="$tables" --table-size="$rows" --rand-type="$spread" --threads="$3" --time="$seconds" --report-interval=0 --percentile=95 \
    --mysql-ignore-errors=1213,1205 "$4"
}
for side in $sides; do
  sql "$side" -e 'CREATE DATABASE sbtest'
  case $tests in *oltp*) bench "$side" oltp_read_write 1 prepare >"$dir/prepare.log" || { cat "$dir/prepare.log" >&2; exit 1; } ;; esac
  for t in $tests; do
    case $t in *.lua) bench "$side" "$t" 1 prepare >"$dir/prepare.log" || { cat "$dir/prepare.log" >&2; exit 1; } ;; esac
  done
  case $tests in *tpcc*) ISOCHRON_PASSWORD=${password[$side]:-} "$program" workload tpcc prepare --dsn "127.0.0.1:${port[$side]}" --warehouses 1 >"$dir/prepare.log" ;; esac
done

# measure prints "tps p95 errors".
measure() { # side, test, connections
  if [ -n "$profile" ] && [ "$1" = isochron ]; then
    mkdir -p "$profile"
    curl -s -o "$profile/$(basename "$2" .lua)-$3.pprof" "http://127.0.0.1:$pprof/debug/pprof/profile?seconds=$seconds" &
    pids+=($!)
  fi
  if [ "$2" = tpcc ]; then
    ISOCHRON_PASSWORD=${password[$1]:-} "$program" workload tpcc run --dsn "127.0.0.1:${port[$1]}" --clients "$3" --for "${seconds}s" --json >"$dir/tpcc.json" 2>"$dir/run.log" || true
    tpcc_numbers <"$dir/tpcc.json"
    return
  fi
  if ! bench "$1" "$2" "$3" run >"$dir/run.log" 2>&1; then
    say "$1 $2 with $3 connections failed:"; grep -m3 -i -E 'fatal|error' "$dir/run.log" >&2 || tail -5 "$dir/run.log" >&2
    echo "0 0 1"; return
  fi
  awk '/transactions:/ {gsub(/[(]/,"",$3); t=$3} /95th percentile:/ {p=$3} /ignored errors:/ {e=$3} END {print t+0, p+0, e+0}' "$dir/run.log"
}
tpcc_numbers() { # of the total, which precedes the kinds of transactions
  sed -n 's/.*"total":{[^{]*"gave_up":\([0-9]*\),"unfinished":[0-9]*,"throughput":\([0-9.e+]*\),"latency_ms":{"p50":[0-9.e+]*,"p95":\([0-9.e+]*\),.*/\2 \3 \1/p' | grep . || echo "0 0 1"
}

calc() { awk "BEGIN {printf \"$1\", $2}"; }
head() { [ -n "$json" ] || printf "$@"; }
head '%-22s %5s %10s %9s' test conns isochron p95ms
[ -z "$bound" ] || head ' %8s' boundms
for side in $sides; do [ "$side" = isochron ] || head ' %14s %9s %6s' "$side" p95ms ratio; done
head '\n'
for t in $tests; do
  for n in $connections; do
    declare -A tps=() p95=() errs=()
    for _ in $(seq "$repeat"); do
      for side in $sides; do
        read -r a b c < <(measure "$side" "$t" "$n")
        tps[$side]="${tps[$side]:-0}+$a" p95[$side]="${p95[$side]:-0}+$b" errs[$side]="${errs[$side]:-0}+$c"
      done
    done
    mine=$(calc %.1f "(${tps[isochron]})/$repeat") name=$(basename "$t" .lua)
    head '%-22s %5s %10s %9s' "$name" "$n" "$mine" "$(calc %.2f "(${p95[isochron]})/$repeat")"
    out="{\"test\":\"$name\",\"connections\":$n,\"seconds\":$seconds,\"repeat\":$repeat"
    if [ -n "$bound" ]; then
      most=$(calc %.2f "($mine > 0) ? 1300*$n/$mine : 0")
      head ' %8s' "$most"
      out="$out,\"p95_bound_ms\":$most"
    fi
    for side in $sides; do
      x=$(calc %.1f "(${tps[$side]})/$repeat") y=$(calc %.2f "(${p95[$side]})/$repeat")
      out="$out,\"${side//-/_}\":{\"tps\":$x,\"p95_ms\":$y,\"errors\":$(calc %d "${errs[$side]}")}"
      [ "$side" = isochron ] && continue
      r=$(calc %.2f "($x > 0) ? $mine/$x : 0")
      out="$out,\"ratio_to_${side//-/_}\":$r"
      head ' %14s %9s %6s' "$x" "$y" "$r"
    done
    if [ -n "$json" ]; then echo "$out}"; else echo; fi
  done
done
for t in $tests; do
  case $t in *.lua)
    for side in $sides; do
      bench "$side" "$t" 1 check >"$dir/check.log" 2>&1 || { say "$side does not pass the check of $(basename "$t"):"; tail -3 "$dir/check.log" >&2; exit 1; }
      [ -n "$json" ] || echo "$side: $(tail -1 "$dir/check.log")"
    done ;;
  esac
done
