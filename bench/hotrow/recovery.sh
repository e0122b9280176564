#!/usr/bin/env bash
# How long a server takes from a kill -9 amid payments on one hot row until it commits again: see --help.
set -euo pipefail

usage() {
  cat <<'USAGE'
From kill -9 to the first commit on the hot row: Isochron, MariaDB, and Isochron without
transactions under way (TXSQL, section 6.4.6).

  bench/hotrow/recovery.sh [flags]

  --seconds N       of load before each kill (default 10)
  --connections N   that change the row (default 512)
  --repeat N        kills of each (default 3)
  --protocol NAME   Isochron's row of choices (default txsql)
  --isochron FILE   the program (default bin/isochron)
  --test LUA        sysbench's load (default the ledger: a payment and a line for it)
USAGE
}

here=$(cd "$(dirname "$0")" && pwd)
seconds=10 connections=512 repeat=3 protocol=txsql program=bin/isochron test="$here/ledger.lua"
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --seconds | --connections | --repeat | --protocol | --isochron | --test)
      [ $# -ge 2 ] || { echo "$1 needs a value; see --help" >&2; exit 2; } ;;
    *) echo "unknown flag $1; see --help" >&2; exit 2 ;;
  esac
  case $1 in
    --seconds) seconds=$2 ;; --connections) connections=$2 ;; --repeat) repeat=$2 ;;
    --protocol) protocol=$2 ;; --isochron) program=$2 ;; --test) test=$2 ;;
  esac
  shift 2
done
PATH=$PATH:/usr/sbin
for tool in "$program" sysbench mariadb mariadbd; do
  command -v "$tool" >/dev/null || { echo "$tool is not there: make build, and see bench/mariadb/compare.sh" >&2; exit 1; }
done

dir=$(mktemp -d "${TMPDIR:-/tmp}/isochron-recovery.XXXXXX")
declare -A pid port password
cleanup() {
  trap - EXIT INT TERM
  for p in "${pid[@]}"; do kill "$p" 2>/dev/null || true; done
  for p in "${pid[@]}"; do wait "$p" 2>/dev/null || true; done
  rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

sql() { MYSQL_PWD=${password[$1]} mariadb --no-defaults --connect-timeout=1 -h 127.0.0.1 -P "${port[$1]}" -u root "${@:2}"; }
# asks until the server answers, a hundred times a second.
ask() {
  for _ in $(seq 12000); do sql "$1" "${@:2}" >/dev/null 2>&1 && return; sleep 0.01; done
  echo "$1 does not answer; its log:" >&2; tail -5 "$dir/$1.log" >&2; return 1
}
start() {
  if [ "$1" = isochron ]; then
    "$program" start --config "$dir/isochron/node1.yaml" >>"$dir/isochron.log" 2>&1 &
  else
    mariadbd --no-defaults --user="$(id -un)" --datadir="$dir/mariadb" --socket="$dir/mariadb.sock" --pid-file="$dir/mariadb.pid" \
      --bind-address=127.0.0.1 --port="${port[mariadb]}" --innodb-flush-log-at-trx-commit=1 --max-connections=2000 --skip-log-bin >>"$dir/mariadb.log" 2>&1 &
  fi
  pid[$1]=$!
}
bench() { # side, connections, command
  sysbench "$test" --mysql-host=127.0.0.1 --mysql-port="${port[$1]}" --mysql-user=root --mysql-password="${password[$1]}" --mysql-db=sbtest \
    --db-ps-mode=auto --threads="$2" --time="$seconds" --report-interval=0 --mysql-ignore-errors=1213,1205 "$3"
}

base=$((20000 + RANDOM % 20000))
"$program" init --dir "$dir/isochron" --regions here --base-port "$base" --protocol "$protocol" >/dev/null
port[isochron]=$((base + 100)) password[isochron]=$(<"$dir/isochron/root.password")
port[mariadb]=$((base + 500)) password[mariadb]=
mariadb-install-db --no-defaults --user="$(id -un)" --datadir="$dir/mariadb" --auth-root-authentication-method=normal >"$dir/mariadb.log" 2>&1
for side in isochron mariadb; do
  start "$side"
  ask "$side" -e 'CREATE DATABASE IF NOT EXISTS sbtest'
  bench "$side" 1 prepare >"$dir/prepare.log" || { tail -5 "$dir/prepare.log" >&2; exit 1; }
done

# killed prints the time from the kill to the first commit, in ms; busy: whether clients are at work.
killed() { # side, busy or idle
  local load='' began
  if [ "$2" = busy ]; then
    bench "$1" "$connections" run >"$dir/run.log" 2>&1 &
    load=$!
    sleep "$((seconds * 8 / 10))"
  else
    bench "$1" "$connections" run >"$dir/run.log" 2>&1 || true
    sleep 1
  fi
  kill -9 "${pid[$1]}"
  wait "${pid[$1]}" 2>/dev/null || true
  began=$(date +%s%N)
  start "$1"
  ask "$1" sbtest -e 'UPDATE account SET balance = balance + 0 WHERE id = 1'
  echo $((($(date +%s%N) - began) / 1000000))
  [ -z "$load" ] || { kill "$load" 2>/dev/null || true; wait "$load" 2>/dev/null || true; }
}
for what in "isochron busy" "mariadb busy" "isochron idle"; do
  times=
  for _ in $(seq "$repeat"); do
    # shellcheck disable=SC2086 # two words
    killed $what >"$dir/took"
    times="$times $(<"$dir/took")"
  done
  echo "$what:$times ms"
done
