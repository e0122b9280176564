#!/usr/bin/env bash
# Shows what many connections do to one node's throughput: unmodified sysbench at
# several numbers of connections, in turn on each of the programs given. A cell is
# transactions a second / the server's CPU time of one in microseconds: the second
# is meaningful on a busy machine too.
#
#   bench/connections/compare.sh [--seconds N] [--repeat N] [--connections "64 512"] [--tests "..."] PROGRAM...
#   bench/connections/compare.sh bin/isochron-before bin/isochron
set -euo pipefail

seconds=5 repeat=2 connections="64 512" tests="oltp_point_select oltp_update_non_index" programs=()
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=$2; shift 2 ;;
    --repeat) repeat=$2; shift 2 ;;
    --connections) connections=$2; shift 2 ;;
    --tests) tests=$2; shift 2 ;;
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "unknown flag $1; see --help" >&2; exit 2 ;;
    *) programs+=("$1"); shift ;;
  esac
done
[ ${#programs[@]} -gt 0 ] || { echo "give a program; see --help" >&2; exit 2; }

dir=$(mktemp -d "${TMPDIR:-/tmp}/isochron-connections.XXXXXX")
pids=()
cleanup() {
  trap - EXIT INT TERM
  for p in "${pids[@]}"; do kill "$p" 2>/dev/null || true; done
  for p in "${pids[@]}"; do wait "$p" 2>/dev/null || true; done
  rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

port=() password=()
bench() { # side, test, connections, command
  sysbench "$2" --mysql-host=127.0.0.1 --mysql-port="${port[$1]}" --mysql-user=root --mysql-password="${password[$1]}" --mysql-db=sbtest --db-ps-mode=auto \
    --rand-type=uniform --tables=4 --table-size=10000 --threads="$3" --time="$seconds" --report-interval=0 "$4"
}
cpu() { awk '{print $14 + $15}' "/proc/${pids[$1]}/stat"; } # in hundredths of a second

for i in "${!programs[@]}"; do
  base=$((20000 + RANDOM % 20000))
  "${programs[$i]}" init --dir "$dir/$i" --regions here --base-port "$base" >/dev/null
  port[$i]=$((base + 100)) password[$i]=$(<"$dir/$i/root.password")
  "${programs[$i]}" start --config "$dir/$i/node1.yaml" >"$dir/$i.log" 2>&1 &
  pids+=($!)
  for _ in $(seq 100); do
    MYSQL_PWD=${password[$i]} mariadb --no-defaults -h 127.0.0.1 -P "${port[$i]}" -u root -e 'CREATE DATABASE sbtest' 2>/dev/null && break
    sleep 0.2
  done
  bench "$i" oltp_read_write 1 prepare >"$dir/prepare.log" || { cat "$dir/prepare.log" >&2; exit 1; }
done

printf '%-24s %11s' test connections; printf ' %24s' "${programs[@]}"; echo
for t in $tests; do
  for n in $connections; do
    tps=()
    for _ in $(seq "$repeat"); do
      for i in "${!programs[@]}"; do
        before=$(cpu "$i")
        bench "$i" "$t" "$n" run >"$dir/run.log" 2>&1 || { grep -m3 -i fatal "$dir/run.log" >&2 || true; }
        tps[$i]="${tps[$i]:-} $(awk -v cpu=$(($(cpu "$i") - before)) '/transactions:/ {n = $2; gsub(/[(]/, "", $3); t = $3} END {printf "%d/%d", t, cpu * 10000 / (n + !n)}' "$dir/run.log")"
      done
    done
    printf '%-24s %11s' "$t" "$n"; printf ' %24s' "${tps[@]}"; echo
  done
done
