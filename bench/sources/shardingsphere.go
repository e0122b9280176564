package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"isochron/bench/process"
	"isochron/server/ports"
	"isochron/server/sourcedb/sourcetest"
	"isochron/sqlload"
)

// shardingsphere is ShardingSphere-Proxy with XA by Atomikos.
//
// Its abilities: 5.1.0 parses clients' statements in the dialect of its databases, so one logical
// database has one kind of them; a mixed deployment is impossible. Over PostgreSQL its clients may
// still speak MySQL's protocol, with PostgreSQL's SQL in it. It refuses several statements in a
// message.
type shardingsphere struct{}

func (shardingsphere) can(deployment string) bool { return deployment != "mixed" }

// logins of the proxy itself.
const proxyUser, proxyPassword, proxyDatabase = "bench", "bench", "bench"

func (shardingsphere) start(ctx context.Context, c config, d *deployment) (*running, error) {
	jars := filepath.Join(c.Peers, "shardingsphere")
	if found, _ := filepath.Glob(filepath.Join(jars, "shardingsphere-proxy-bootstrap-*.jar")); len(found) == 0 {
		return nil, fmt.Errorf("%s has no ShardingSphere-Proxy: bench/sources/run.sh fetches it", jars)
	}
	dir, err := os.MkdirTemp("", "isochron-shardingsphere-")
	if err != nil {
		return nil, err
	}
	remove := func() error { return os.RemoveAll(dir) }
	port, err := ports.Take(1)
	if err == nil {
		err = configure(dir, d)
	}
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	// Its own start script's settings, but for the memory: that takes 2 GB immediately, this as it
	// needs it.
	p, err := process.Spawn(filepath.Join(dir, "log"), dir, "java", "-server", "-Xmx2g", "-Xss1m", "-Djava.awt.headless=true", "-Dio.netty.leakDetection.level=DISABLED",
		"-classpath", dir+":"+filepath.Join(jars, "*"), "org.apache.shardingsphere.proxy.Bootstrap", fmt.Sprint(port.Base), dir)
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	r := &running{
		target: sqlload.Target{Addresses: []string{ports.Address(port.Base)}, User: proxyUser, Password: proxyPassword, Database: proxyDatabase, AsIs: true},
		pids:   []int{p.Pid()},
		stop:   func() error { p.End(syscall.SIGTERM); port.Release(); return remove() },
		log:    p.Tail,
	}
	if d.name == "pg" {
		r.options.ReadLock = " FOR SHARE"
	}
	if err := p.Await(ctx, "ShardingSphere-Proxy", r.answers); err != nil {
		return nil, errors.Join(err, r.stop())
	}
	return r, nil
}

// configure writes its files.
func configure(dir string, d *deployment) error {
	var dataSources, ranges strings.Builder
	for i, link := range d.links {
		address := link.Addr()
		if d.delays[i] == 0 { // the link would cost processor time and change nothing
			address = d.servers[i].Addr()
		}
		// The driver of MySQL recognises a MariaDB by its answers.
		url := fmt.Sprintf("jdbc:mysql://%s/%s?useSSL=false&useServerPrepStmts=false&useLocalSessionState=true", address, sourcetest.Database)
		if d.servers[i].Kind == "postgres" {
			url = fmt.Sprintf("jdbc:postgresql://%s/%s?sslmode=disable", address, sourcetest.Database)
		}
		fmt.Fprintf(&dataSources, "  ds_%d:\n    url: \"%s\"\n    username: %s\n    password: \"%s\"\n    connectionTimeoutMilliseconds: 60000\n"+
			"    idleTimeoutMilliseconds: 600000\n    maxLifetimeMilliseconds: 1800000\n    maxPoolSize: %d\n    minPoolSize: 1\n", i, url, sourcetest.User, sourcetest.Password, clientsMax+20)
		if i > 0 {
			fmt.Fprintf(&ranges, ",%d", i*d.rows)
		}
	}
	sharded := fmt.Sprintf(`schemaName: %s
dataSources:
%srules:
- !SHARDING
  tables:
    transfer_accounts:
      actualDataNodes: ds_${0..%d}.transfer_accounts
      databaseStrategy: {standard: {shardingColumn: id, shardingAlgorithmName: ranges}}
    ycsb_records:
      actualDataNodes: ds_${0..%[3]d}.ycsb_records
      databaseStrategy: {standard: {shardingColumn: ycsb_key, shardingAlgorithmName: ranges}}
  shardingAlgorithms:
    ranges:
      type: BOUNDARY_RANGE
      props: {sharding-ranges: "%s"}
`, proxyDatabase, dataSources.String(), sources-1, strings.TrimPrefix(ranges.String(), ","))
	server := fmt.Sprintf(`rules:
- !AUTHORITY
  users: ["%s@%%:%s"]
  provider: {type: ALL_PRIVILEGES_PERMITTED}
- !TRANSACTION
  defaultType: XA
  providerType: Atomikos
props:
  proxy-frontend-database-protocol-type: MySQL
  proxy-hint-enabled: false
  sql-show: false
`, proxyUser, proxyPassword)
	// Of Atomikos' own defaults, fifty transactions at a time would be too few.
	jta := fmt.Sprintf("com.atomikos.icatch.max_actives=%d\ncom.atomikos.icatch.log_base_dir=%s\ncom.atomikos.icatch.serial_jta_transactions=false\n", 10*clientsMax, dir)
	logback := `<configuration><appender name="out" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%d %p %logger{20} %m%n</pattern></encoder></appender>` +
		`<root level="WARN"><appender-ref ref="out"/></root></configuration>`
	for name, text := range map[string]string{"config-bench.yaml": sharded, "server.yaml": server, "jta.properties": jta, "logback.xml": logback} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
