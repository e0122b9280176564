# Fetches those peers that take part, as far as they are not there: for run.sh and point.sh, which
# set `systems` to their names with commas between them. Leaves in `peers` where they are.
peers=${ISOCHRON_PEERS:-${XDG_CACHE_HOME:-$HOME/.cache}/isochron-peers}
mkdir -p "$peers"
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
