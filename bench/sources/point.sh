#!/usr/bin/env bash
# What a gateway and an agent cost: sysbench's point selects and updates of one row by its key, each
# its own transaction, over a direct connection to a server, through a gateway and an agent that is a
# process of its own (through), and through a gateway with the agent in its process (beside); in
# turns, without delays. Prints transactions a second of each, what one costs of the processors'
# time (server, gateway and agent together; without the client), and the ratios of the sums.
# --peers shardingsphere has ShardingSphere-Proxy beside them as one more way, once it has run so long
# that Java has compiled it. Its clients speak as those of a gateway do, and its commits are the
# server's own: a statement alone is no transaction of several sources to it.
# With --sockets agents reach the server over its socket, and one more way is a direct connection over
# that (socket); clients come to gateways over a port in any case.
#
#   bench/sources/point.sh                                  # MariaDB and PostgreSQL, 16 connections
#   bench/sources/point.sh --deployments mysql --seconds 20 --rounds 5 --connections 64
#   bench/sources/point.sh --peers shardingsphere           # fetches it first, as run.sh does
#
# Needs sysbench, and what Isochron's sources need. All that is started ends with it.
set -euo pipefail
cd "$(dirname "$0")/../.."
deployments="mysql pg" seconds=10 rounds=3 connections=16 rows=10000 systems= sockets=
while (($#)); do
  case $1 in
    --deployments) deployments=${2//,/ } ;; --seconds) seconds=$2 ;; --rounds) rounds=$2 ;; --connections) connections=$2 ;; --rows) rows=$2 ;; --peers) systems=$2 ;; --sockets) sockets=--sockets; shift; continue ;;
    *) echo "point.sh: no option $1; there are --deployments --seconds --rounds --connections --rows --peers --sockets" >&2; exit 2 ;;
  esac
  shift 2
done
[[ -z $systems || $systems == shardingsphere ]] || { echo "point.sh: --peers $systems: there is shardingsphere" >&2; exit 2; }
command -v sysbench >/dev/null || { echo "point.sh: sysbench is missing (apt-get install sysbench)" >&2; exit 1; }
peers=
if [[ -n $systems ]]; then source bench/sources/peers.sh; fi
if [[ -z ${ISOCHRON_BIN:-} ]]; then # a directory with programs that were built before
  CGO_ENABLED=0 go build -tags gms_pure_go -o bin/ ./cmd/isochron ./bench/sources
  ISOCHRON_BIN=bin
fi
work=$(mktemp -d)
: >"$work/held"
held='' one=''
stop() {
  [[ -z $one ]] || { kill "$one" 2>/dev/null || true; wait "$one" 2>/dev/null || true; }
  one=
  [[ -z $held ]] || { kill -INT "$held" 2>/dev/null || true; wait "$held" 2>/dev/null || true; }
  held=
}
trap 'stop; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

for deployment in $deployments; do
  "$ISOCHRON_BIN/sources" --isochron "$ISOCHRON_BIN/isochron" --hold --deployments "$deployment" --systems "geotp${systems:+,$systems}" --peers "$peers" $sockets --wan-scale 0.001 --rows 1000 2>"$work/held" &
  held=$!
  until grep -q 'geotp: ' "$work/held"; do
    kill -0 "$held" 2>/dev/null || { cat "$work/held" >&2; exit 1; }
    sleep 0.5
  done
  sources=$held
  gateway=$(sed -n 's/.*geotp: 127.0.0.1:\([0-9]*\),.*/\1/p' "$work/held")
  password=$(sed -n 's/.*geotp: .*password \([^,]*\),.*/\1/p' "$work/held")
  server=$(sed -n 's/.*source 0: .*@127.0.0.1:\([0-9]*\)\/bank,.*/\1/p' "$work/held")
  through=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$gateway" --mysql-user=root --mysql-password="$password" --mysql-db=bench)
  direct=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$server" --mysql-user=root --mysql-db=bank)
  address="${deployment/pg/postgres}://agent@127.0.0.1:$server/bank" socket=()
  if [[ -n $sockets ]]; then
    address=$(sed -n 's/.*source 0: .* over its socket \(.*\)/\1/p' "$work/held")
    path=${address#*\?*=}
    socket=(--db-driver=mysql --mysql-socket="${path//%2F//}" --mysql-user=root --mysql-db=bank)
  fi
  if [[ $deployment == pg ]]; then
    direct=(--db-driver=pgsql --pgsql-host=127.0.0.1 --pgsql-port="$server" --pgsql-user=super --pgsql-db=bank)
    path=${path%&port=*}
    socket=(--db-driver=pgsql --pgsql-host="${path//%2F//}" --pgsql-port="$server" --pgsql-user=agent --pgsql-password=s3cret/of\ the:agent --pgsql-db=bank)
  fi
  base=$((gateway + 1000))
  "$ISOCHRON_BIN/isochron" init --dir "$work/$deployment" --regions bj --base-port $base --protocol geotp >"$work/init" 2>&1 || { cat "$work/init" >&2; exit 1; }
  config=$work/$deployment/node1.yaml
  printf 's3cret/of the:agent\n' >"$work/$deployment/s0.password"
  printf '\nsources:\n  - {name: s0, address: "%s", password_file: s0.password, connections: 200}\n' "$address" >>"$config"
  "$ISOCHRON_BIN/isochron" start --config "$config" >"$work/$deployment/log" 2>&1 &
  one=$!
  besides=$(cat "$work/$deployment/root.password")
  beside=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port=$((base + 100)) --mysql-user=root --mysql-password="$besides" --mysql-db=bench)
  size=(--tables=1 --table-size="$rows")
  sysbench "${direct[@]}" "${size[@]}" oltp_point_select prepare >"$work/prepare" 2>&1 || { cat "$work/prepare" >&2; exit 1; }
  if [[ $deployment == pg ]]; then
    psql -q -h 127.0.0.1 -p "$server" -U super bank -c 'GRANT ALL ON ALL TABLES IN SCHEMA public TO agent; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO agent'
  fi
  MYSQL_PWD=$password mariadb -h 127.0.0.1 -P "$gateway" -u root -e "CALL isochron.import_table('s0', 'bench', 'sbtest1')" >/dev/null
  until MYSQL_PWD=$besides mariadb -h 127.0.0.1 -P $((base + 100)) -u root -e "CREATE DATABASE IF NOT EXISTS bench; CALL isochron.import_table('s0', 'bench', 'sbtest1')" >"$work/adopt" 2>&1; do
    kill -0 "$one" 2>/dev/null || { cat "$work/$deployment/log" >&2; exit 1; }
    sleep 0.5
  done
  agent=$(pgrep -P "$sources" -f -- '--name s0 ')
  node=$(pgrep -P "$sources" -f -- ' start --config ')
  java=$(pgrep -P "$sources" -x java || true)
  database=$(ss -ltnpH "sport = :$server" | sed -n 's/.*pid=\([0-9]*\),.*/\1/p' | head -n 1)
  proxy=()
  if [[ -n $systems ]]; then
    door=$(sed -n 's/.*shardingsphere: 127.0.0.1:\([0-9]*\),.*/\1/p' "$work/held")
    proxy=(--db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$door" --mysql-user=bench --mysql-password=bench --mysql-db=bench)
    MYSQL_PWD=bench mariadb -h 127.0.0.1 -P "$door" -u bench bench -e 'REFRESH TABLE METADATA' # the table is newer than it
  fi
  ticks() { # of the processes that serve
    local pid sum=0
    for pid in "$node" "$agent" "$one" $java; do sum=$((sum + $(awk '{print $14 + $15}' "/proc/$pid/stat"))); done
    sum=$((sum + $(awk '{print $14 + $15 + $16 + $17}' "/proc/$database/stat"))) # and of its children that have ended
    for pid in $(pgrep -P "$database"); do sum=$((sum + $(awk '{print $14 + $15}' "/proc/$pid/stat" 2>/dev/null || echo 0))); done
    echo "$sum"
  }
  load() { # TEST SECONDS ARGUMENTS: into the file run
    sysbench "${@:3}" "${size[@]}" --threads="$connections" --time="$2" --db-ps-mode=disable --report-interval=0 "$1" run >"$work/run" 2>&1 || { cat "$work/run" >&2; return 1; }
  }
  measure() { # NAME TEST ARGUMENTS: transactions a second
    local before rate count
    before=$(ticks)
    load "$2" "$seconds" "${@:3}"
    rate=$(sed -n 's/.*transactions: .*(\([0-9.]*\) per sec.*/\1/p' "$work/run")
    count=$(sed -n 's/.*transactions: *\([0-9]*\) .*/\1/p' "$work/run")
    echo "$deployment $2, $1: $rate a second, $(sed -n 's/ *95th percentile: *//p' "$work/run") ms at the 95th percentile, $(((($(ticks) - before) * 10000) / count)) us each"
    echo "$deployment $2 $1 $rate" >>"$work/rates"
  }
  for test in oltp_point_select oltp_update_non_index; do
    if [[ -n $systems ]]; then load $test $((seconds > 20 ? seconds : 20)) "${proxy[@]}"; fi
    for ((round = 0; round < rounds; round++)); do
      measure direct $test "${direct[@]}"
      if [[ -n $sockets ]]; then measure socket $test "${socket[@]}"; fi
      measure through $test "${through[@]}"
      measure beside $test "${beside[@]}"
      if [[ -n $systems ]]; then measure shardingsphere $test "${proxy[@]}"; fi
    done
  done
  stop
done
awk '{sum[$1" "$2" "$3] += $4} END {for (k in sum) if (k !~ / direct$/) {d = k; sub(/ [a-z]*$/, " direct", d); printf "%s: %.2f of a direct connection\n", k, sum[k] / sum[d]}}' "$work/rates" | sort
