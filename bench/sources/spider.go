package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"isochron/server/sourcedb/sourcetest"
	"isochron/sqlload"
)

// spider is a MariaDB whose tables lie on the sources, by its storage engine Spider with internal XA.
//
// Its limits: each commit writes tables of the server's own (mysql.spider_xa), which are Aria's,
// and holds their lock over the trips of its XA statements: commits go one after another ("Waiting
// for table level lock"). As tables of InnoDB, Spider does not find its own writes there: commits
// fail (12605).
type spider struct{}

func (spider) can(deployment string) bool { return deployment == "mysql" }

const spiderLibrary = "ha_spider.so"

func (spider) start(ctx context.Context, c config, d *deployment) (*running, error) {
	dir, err := os.MkdirTemp("", "isochron-spider-")
	if err == nil {
		err = errors.Join(os.Chmod(dir, 0o755), copyFile(filepath.Join(c.Peers, "spider", spiderLibrary), filepath.Join(dir, spiderLibrary)))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("spider cannot be had (bench/sources/run.sh fetches it): %w", err), os.RemoveAll(dir))
	}
	// Without the option it would connect again for each transaction, in seven trips.
	args := append([]string{"--plugin-dir=" + dir, "--plugin-maturity=alpha", "--plugin-load-add=" + spiderLibrary, "--spider-internal-xa=1", "--spider-conn-recycle-mode=1"}, mariadbArgs...)
	s, err := sourcetest.MariaDB(args...)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	stop := func() error { s.Close(); return os.RemoveAll(dir) }
	for _, text := range spiderTables(d) {
		if err := s.Exec(text); err != nil {
			return nil, errors.Join(fmt.Errorf("spider: %w", err), stop())
		}
	}
	r := &running{
		target: sqlload.Target{Addresses: []string{s.Addr()}, User: sourcetest.User, Password: sourcetest.Password, Database: sourcetest.Database},
		pids:   []int{s.PID()}, stop: stop, log: s.Log,
	}
	return r, errors.Join(r.answers(ctx), ctx.Err())
}

// spiderTables are the statements that lay its tables over the sources.
func spiderTables(d *deployment) (all []string) {
	for i, link := range d.links {
		host, port, _ := strings.Cut(link.Addr(), ":")
		all = append(all, fmt.Sprintf("CREATE SERVER s%d FOREIGN DATA WRAPPER mysql OPTIONS (HOST '%s', PORT %s, USER '%s', PASSWORD '%s', DATABASE '%s')",
			i, host, port, sourcetest.User, sourcetest.Password, sourcetest.Database))
	}
	columns := "ycsb_key BIGINT NOT NULL PRIMARY KEY"
	for i := range 10 {
		columns += fmt.Sprintf(", field%d VARCHAR(100) NOT NULL", i)
	}
	for _, t := range []struct{ name, key, columns string }{{"transfer_accounts", "id", accountColumns}, {"ycsb_records", "ycsb_key", columns}} {
		var parts []string
		for i := range d.links {
			below := fmt.Sprint((i + 1) * d.rows)
			if i == len(d.links)-1 {
				below = "MAXVALUE"
			}
			parts = append(parts, fmt.Sprintf(`PARTITION p%d VALUES LESS THAN (%s) COMMENT='srv "s%[1]d"'`, i, below))
		}
		all = append(all, fmt.Sprintf(`CREATE TABLE %s (%s) ENGINE=SPIDER COMMENT='wrapper "mysql", table "%[1]s"' PARTITION BY RANGE (%[3]s) (%[4]s)`,
			t.name, t.columns, t.key, strings.Join(parts, ", ")))
	}
	return all
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
