#!/usr/bin/env bash
# Isochron beside a three-node Galera cluster, under the same wide-area network:
# three namespaces with the delays of bench/wan between them, sysbench's clients at
# all three sites concurrently, each at the node of its own site. The same durability:
# every commit is on disk before it is acknowledged.
#
#   make bench-galera                       # 30 ms, 20 s a run, 16 connections a site
#   make bench-galera ARGS="--seconds 60 --rtt 50ms --connections 32"
#   make bench-galera ARGS="--at 1 --rows 1 --spreads uniform --tests oltp_update_non_index --connections '16 64'"
#
# --at lists the sites of clients; the table is led from the first. --tests are
# sysbench's, or Lua files. --protocol is Isochron's row of choices.
# The skewed keys are sysbench's "special" ones: three quarters of the work on a
# hundredth of the rows. Needs root. Prints one line a run, then the ratios of the two systems and how many
# transactions each did in the time of one round trip, and leaves a JSON line a run in --json FILE.
set -euo pipefail

seconds=20 rtt=30ms connections=16 rows=10000 json= protocol= at="1 2 3" tests="oltp_update_non_index oltp_write_only" spreads="uniform special"
while (($#)); do
  case $1 in
    --seconds) seconds=$2 ;; --rtt) rtt=$2 ;; --connections) connections=$2 ;;
    --rows) rows=$2 ;; --json) json=$2 ;; --protocol) protocol=$2 ;;
    --at) at=$2 ;; --tests) tests=$2 ;; --spreads) spreads=$2 ;;
    *) echo "compare.sh: no option $1; there are --seconds --rtt --connections --rows --json --protocol --at --tests --spreads" >&2; exit 2 ;;
  esac
  shift 2
done

if [[ -z ${WAN_SITES:-} ]]; then # not yet among the sites
  cd "$(dirname "$0")/../.."
  missing=()
  for p in mariadb-server galera-4 rsync sysbench iproute2; do
    dpkg-query -W -f '${Status}' $p 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
  done
  if ((${#missing[@]})); then
    echo "installing ${missing[*]}" >&2
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" >&2
  fi
  work=$(mktemp -d)
  chmod 711 "$work" # MariaDB gives up root
  trap 'rm -rf "$work"' EXIT
  CGO_ENABLED=0 go build -tags gms_pure_go -o "$work" ./cmd/isochron ./bench/wan
  ISOCHRON_BENCH=$work "$work/wan" --sites 3 --rtt "$rtt" "$0" --seconds "$seconds" --rtt "$rtt" \
    --connections "$connections" --rows "$rows" --json "${json:-$work/lines.json}" --at "$at" --tests "$tests" --spreads "$spreads" \
    ${protocol:+--protocol "$protocol"}
  exit
fi

work=$ISOCHRON_BENCH
runs=$work/runs.json # of this comparison alone
at() { local ns=WAN_NS_$1; shift; ip netns exec "${!ns}" "$@"; } # run at a site
address() { local ip=WAN_IP_$1; echo "${!ip}"; }

# stop ends the processes of one system.
pids=()
stop() {
  ((${#pids[@]})) || return 0
  kill "${pids[@]}" 2>/dev/null || true
  wait "${pids[@]}" 2>/dev/null || true
  pids=()
}
trap stop EXIT

# await runs a command until it succeeds, for a minute.
await() {
  for _ in $(seq 120); do "$@" >/dev/null 2>&1 && return; sleep 0.5; done
  echo "compare.sh: in vain for a minute: $*" >&2
  tail -n 20 "$work"/*.log >&2
  exit 1
}

galera_port=3306 galera_login=(--mysql-user=root)
galera() {
  local sites
  sites=$(for i in 1 2 3; do address $i; done | paste -sd,)
  for i in 1 2 3; do
    mariadb-install-db --no-defaults --user=mysql --datadir="$work/galera$i" --auth-root-authentication-method=normal --skip-test-db >/dev/null
    at $i mariadbd --no-defaults --user=mysql --datadir="$work/galera$i" --socket="$work/galera$i/sock" \
      --pid-file="$work/galera$i/pid" --port=$galera_port --bind-address=127.0.0.1 \
      --innodb-flush-log-at-trx-commit=1 --innodb-buffer-pool-size=256M --innodb-autoinc-lock-mode=2 --binlog-format=ROW \
      --wsrep-auto-increment-control=OFF \
      --max-connections=2000 --wsrep-on=ON --wsrep-provider=/usr/lib/galera/libgalera_smm.so \
      --wsrep-cluster-name=bench --wsrep-cluster-address="gcomm://$sites" --wsrep-node-address="$(address $i)" \
      --wsrep-sst-method=rsync --wsrep-slave-threads=4 $([[ $i == 1 ]] && echo --wsrep-new-cluster) \
      >"$work/galera$i.log" 2>&1 &
    pids+=($!)
    await galera_has $i
  done
}
galera_has() { mariadb -uroot -S "$work/galera$1/sock" -NBe "SHOW STATUS LIKE 'wsrep_cluster_size'" | grep -qw "$1"; }

isochron_port=4600 isochron_login=(--mysql-user=root)
isochron() {
  "$work/isochron" init --dir "$work/iso" --regions one,two,three ${protocol:+--protocol "$protocol"} >/dev/null
  for i in 1 2 3; do
    sed -i "s|\(address: \).*:450$((i - 1))|\1$(address $i):4500|" "$work"/iso/node?.yaml
    sed -i "s|^peer_listen:.*|peer_listen: $(address $i):4500|; s|^sql_listen:.*|sql_listen: 127.0.0.1:$isochron_port|" "$work/iso/node$i.yaml"
  done
  if [[ -s $work/iso/root.password ]]; then isochron_login+=(--mysql-password="$(<"$work/iso/root.password")"); fi
  for i in 1 2 3; do
    at $i "$work/isochron" start --config "$work/iso/node$i.yaml" >"$work/iso$i.log" 2>&1 &
    pids+=($!)
  done
  for i in 1 2 3; do await grep -q ready "$work/iso$i.log"; done
}

# whole makes sure that the rows are there which sysbench is going to change: each
# has the key that it draws. Galera gives its nodes every third key if it is not configured
# otherwise, and an update of no row costs nothing.
whole() {
  local have
  [[ $prepared ]] || return 0
  have=$(at 1 "${client[@]}" -NBe "SELECT COUNT(*) FROM sbtest.sbtest1 WHERE id <= $rows")
  [[ $have == "$rows" ]] || { echo "compare.sh: $system has $have of $rows rows" >&2; exit 1; }
}

# load runs one test at its sites concurrently and prints their sum.
load() {
  local system=$1 test=$2 spread=$3 connections=$4 port=$1_port login="$1_login[@]"
  local common=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="${!port}" "${!login}" --mysql-db=sbtest
    --tables=1 --table-size="$rows" --rand-type="$spread"
    --threads="$connections" --time="$seconds" --percentile=99 --mysql-ignore-errors=1213,1205,1020,1180)
  local seed=$RANDOM # one for each site: with the same they would all write the same
  local loads=()
  rm -f "$work"/run?
  for i in $at; do
    at "$i" sysbench "$test" "${common[@]}" --rand-seed=$((seed + i)) run >"$work/run$i" 2>&1 &
    loads+=($!)
  done
  for l in "${loads[@]}"; do wait "$l" || { cat "$work"/run? >&2; exit 1; }; done
  awk -v s="$system" -v t="$(basename "$test" .lua)" -v d="$spread" -v n="$connections" '
    /transactions:/ { gsub(/[(]/, ""); tps += $3 }
    /ignored errors:/ { gsub(/[(]/, ""); lost += $4 }
    /avg:/ { avg = avg sprintf(" %7.1f", $2) }
    /99th percentile:/ { p99 = p99 sprintf(" %7.1f", $3); if ($3 > worst) worst = $3 }
    END {
      printf "%-9s %-22s %-8s %4d %8.0f /s  %7.0f retried /s   avg ms by site%s   p99 ms by site%s\n", s, t, d, n, tps, lost, avg, p99 > "/dev/stderr"
      printf "{\"system\":\"%s\",\"test\":\"%s\",\"keys\":\"%s\",\"connections\":%d,\"tps\":%.1f,\"retried_per_s\":%.1f,\"worst_p99_ms\":%.1f}\n", s, t, d, n, tps, lost, worst
    }' "$work"/run? >>"$runs"
}

# ratios sets the two systems side by side.
ratios() {
  awk -F'[:,"{}]+' -v ms="${rtt%ms}" '
    { k = $5 " " $7 " " $9; tps[$3, k] = $11; if ($3 == "isochron") order[++n] = k }
    END {
      printf "\n%-22s %-8s %5s %12s %12s %7s %14s %14s\n", "test", "keys", "conns", "isochron /s", "galera /s", "ratio", "isochron x RTT", "galera x RTT"
      for (i = 1; i <= n; i++) {
        split(order[i], w, " "); a = tps["isochron", order[i]]; b = tps["galera", order[i]]
        printf "%-22s %-8s %5d %12.0f %12.0f %7.2f %14.1f %14.1f\n", w[1], w[2], w[3], a, b, b ? a / b : 0, a * ms / 1000, b * ms / 1000
      }
    }' "$runs"
}

echo "three sites, $rtt between any two; clients at $at, connections at each: $connections; $seconds s a run, $rows rows"
for system in galera isochron; do
  $system
  port=${system}_port login="${system}_login[@]"
  client=(mariadb --no-defaults -h 127.0.0.1 -P "${!port}" -uroot)
  for l in "${!login}"; do [[ $l == --mysql-password=* ]] && client+=("-p${l#*=}"); done
  at 1 "${client[@]}" -e 'CREATE DATABASE sbtest'
  prepared=
  for test in $tests; do
    [[ $test == *.lua ]] || { [[ $prepared ]] && continue; prepared=1; }
    at 1 sysbench "$([[ $test == *.lua ]] && echo "$test" || echo oltp_write_only)" --db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="${!port}" "${!login}" --mysql-db=sbtest \
      --tables=1 --table-size="$rows" prepare >"$work/prepare.log" 2>&1 || { cat "$work/prepare.log" >&2; exit 1; }
  done
  whole
  for test in $tests; do
    for spread in $spreads; do
      for n in $connections; do load $system "$test" "$spread" "$n"; done
    done
  done
  stop
done
ratios
cat "$runs" >>"$json"
