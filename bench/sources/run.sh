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
peers=${ISOCHRON_PEERS:-${XDG_CACHE_HOME:-$HOME/.cache}/isochron-peers}
mkdir -p "$peers"

# Only the peers that take part are fetched: all, unless --systems names others.
systems=shardingsphere,spider previous=
for word in "$@"; do
  case $word in --systems=* | -systems=*) systems=${word#*=} ;; esac
  case $previous in --systems | -systems) systems=$word ;; esac
  previous=$word
done
takes_part() { [[ ,$systems, == *,$1,* ]]; }

packages=(postgresql mariadb-server)
if takes_part shardingsphere; then packages+=(default-jre-headless maven); fi
for p in "${packages[@]}"; do
  case $p in
    postgresql) compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null && continue ;;
    mariadb-server) command -v mariadbd >/dev/null && continue ;;
    default-jre-headless) command -v java >/dev/null && continue ;;
    maven) { command -v mvn >/dev/null || compgen -G "$peers/shardingsphere/*.jar" >/dev/null; } && continue ;;
  esac
  missing+=("$p")
done
if [[ -n ${missing[*]:-} ]]; then
  echo "installing ${missing[*]}" >&2
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" >&2
fi

if takes_part shardingsphere && ! compgen -G "$peers/shardingsphere/shardingsphere-proxy-bootstrap-*.jar" >/dev/null; then
  echo "fetching ShardingSphere-Proxy (70 MB) into $peers" >&2
  mvn -q -B -f bench/sources/shardingsphere/pom.xml dependency:copy-dependencies -DoutputDirectory="$peers/shardingsphere.new" >&2
  mv "$peers/shardingsphere.new" "$peers/shardingsphere"
fi

# Spider's library is taken out of its package, of the version of the server, without installing it.
version=$(dpkg-query -W -f '${Version}' mariadb-server)
if takes_part spider && [[ ! -e $peers/spider/ha_spider.so || $(cat "$peers/spider/version") != "$version" ]]; then
  echo "fetching Spider $version into $peers" >&2
  rm -rf "$peers/spider.new" "$peers/spider"
  mkdir "$peers/spider.new"
  (cd "$peers/spider.new" && apt-get download -qq "mariadb-plugin-spider=$version" && dpkg -x ./*.deb . && cp usr/lib/mysql/plugin/ha_spider.so . && echo "$version" >version)
  mv "$peers/spider.new" "$peers/spider"
fi

if [[ -z ${ISOCHRON_BIN:-} ]]; then # a directory with programs that were built before
  CGO_ENABLED=0 go build -tags gms_pure_go -o bin/ ./cmd/isochron ./bench/sources
  ISOCHRON_BIN=bin
fi
exec "$ISOCHRON_BIN/sources" --isochron "$ISOCHRON_BIN/isochron" --peers "$peers" "$@"
