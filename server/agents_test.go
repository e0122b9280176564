package server

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"isochron/coordinator"
	"isochron/protocol"
	"isochron/routing"
	"isochron/server/sourcedb/sourcetest"
	"isochron/source"
	"isochron/txn"
)

// servers are one PostgreSQL and one MariaDB for all tests of the package.
var servers = sync.OnceValues(func() (out [2]*sourcetest.Server, err error) {
	for i, begin := range []func(...string) (*sourcetest.Server, error){sourcetest.Postgres, sourcetest.MariaDB} {
		if out[i], err = begin(); err != nil {
			return out, err
		}
		started = append(started, out[i])
	}
	return out, nil
})

// started is closed when all tests have ended.
var started []*sourcetest.Server

// realServers returns them, with an empty table of accounts.
func realServers(t *testing.T) (pg, my *sourcetest.Server) {
	t.Helper()
	s, err := servers()
	sourcetest.LeaveOut(t, err)
	for _, s := range s {
		if err := s.Exec("DROP TABLE IF EXISTS acct"); err != nil {
			t.Fatal(err)
		}
	}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(s[0].Exec("CREATE TABLE acct (id bigint PRIMARY KEY, v bigint NOT NULL, n bigserial, UNIQUE (n)); GRANT ALL ON acct TO " + sourcetest.User + "; GRANT ALL ON acct_n_seq TO " + sourcetest.User))
	must(s[1].Exec("CREATE TABLE acct (id bigint PRIMARY KEY, v bigint NOT NULL, n bigint NOT NULL AUTO_INCREMENT, UNIQUE (n)) ENGINE=InnoDB"))
	return s[0], s[1]
}

// withSources is a cluster of three regions with a database at two of them.
func withSources(t *testing.T, row string) (*Cluster, *sourcetest.Server, *sourcetest.Server) {
	t.Helper()
	pg, my := realServers(t)
	r, err := protocol.LiveByName(row)
	if err != nil {
		t.Fatal(err)
	}
	cfg := testConfig(t, t.TempDir(), r)
	cfg.Sources = []SourceConfig{
		{Name: "orders", Address: pg.URL(), Region: cfg.WAN.Regions[1]},
		{Name: "stock", Address: my.URL(), Region: cfg.WAN.Regions[2]},
	}
	c := startTest(t, cfg)
	t.Cleanup(func() { closeTest(t, c) })
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if err := c.AwaitSources(ctx); err != nil {
		t.Fatal(err)
	}
	return c, pg, my
}

// sourcesOf returns the two in the order of their names.
func sourcesOf(db txn.DB) []txn.SourceEntry {
	s := db.(txn.SourceCatalogue).Sources()
	slices.SortFunc(s, func(a, b txn.SourceEntry) int { return strings.Compare(a.Name, b.Name) })
	return s
}

func to(s txn.SourceEntry, texts ...string) (out []txn.SourceStatement) {
	for _, text := range texts {
		out = append(out, txn.SourceStatement{Source: s.ID, Statement: txn.Statement{Text: text}})
	}
	return out
}

// sumsAt adds up the accounts at both sources in one transaction.
func sumsAt(t *testing.T, db txn.DB) string {
	t.Helper()
	var out []string
	s := sourcesOf(db)
	atomically(t, db, func(ctx context.Context, tx txn.Txn) error {
		res, err := tx.(txn.Sources).Execute(ctx, append(to(s[0], "SELECT sum(v) FROM acct"), to(s[1], "SELECT sum(v) FROM acct")...), true)
		if err == nil {
			out = []string{string(res[0].Rows[0][0]), string(res[1].Rows[0][0])}
		}
		return err
	})
	return strings.Join(out, "+")
}

// One transaction spans a PostgreSQL, a MariaDB and shards, under protocols for sources and under the default.
func TestATransactionOverRealSourcesAndShards(t *testing.T) {
	for _, row := range []string{protocol.Default, "ssp", "geotp"} {
		t.Run(row, func(t *testing.T) {
			c, _, _ := withSources(t, row)
			db := c.DB(c.cfg.WAN.Regions[0])
			cat := db.(txn.SourceCatalogue)
			s := sourcesOf(db)
			if len(s) != 2 || s[0].Name != "orders" || s[0].Dialect != "postgres" || s[0].Region != "r2" || s[1].Dialect != "mysql" {
				t.Fatalf("the cluster's sources are %+v", s)
			}
			atomically(t, db, func(ctx context.Context, tx txn.Txn) error {
				if err := increment(ctx, tx); err != nil {
					return err
				}
				src := tx.(txn.Sources)
				if _, err := src.Execute(ctx, append(to(s[0], "INSERT INTO acct (id, v) VALUES (1, 100)"), to(s[1], "INSERT INTO acct (id, v) VALUES (1, 100)")...), false); err != nil {
					return err
				}
				_, err := src.Execute(ctx, append(to(s[0], "UPDATE acct SET v = v - 30 WHERE id = 1"), to(s[1], "UPDATE acct SET v = v + 30 WHERE id = 1")...), true)
				return err
			})
			if got := sumsAt(t, c.DB(c.cfg.WAN.Regions[1])); got != "70+130" {
				t.Errorf("the sources have %s", got)
			}
			if n := count(t, db); n != 1 {
				t.Errorf("the shard's counter is %d", n)
			}
			doubt, err := cat.InDoubt(context.Background())
			if err != nil || len(doubt) > 0 {
				t.Errorf("in doubt: %+v, %v", doubt, err)
			}
			describedAs(t, cat, s)
		})
	}
}

// describedAs checks the sources' descriptions.
func describedAs(t *testing.T, cat txn.SourceCatalogue, s []txn.SourceEntry) {
	t.Helper()
	for _, s := range s {
		d, err := cat.DescribeSource(context.Background(), s.ID)
		i := slices.IndexFunc(d.Tables, func(t txn.SourceTable) bool { return t.Name == "acct" })
		if err != nil || d.Dialect != s.Dialect || d.Version == "" || d.Identity == "" || d.PreparedMax == 0 || i < 0 {
			t.Fatalf("%s is described as %+v, %v", s.Name, d, err)
		}
		if a := d.Tables[i]; len(a.Columns) != 3 || a.Columns[0].Auto || !a.Columns[2].Auto || !slices.Equal(a.Key, []string{"id"}) || len(a.Unique) != 1 {
			t.Errorf("%s describes its table as %+v", s.Name, a)
		}
	}
}

// A source that is down at the start affects nothing else, and is served once it is up.
func TestASourceThatIsDownAtStart(t *testing.T) {
	pg, _ := realServers(t)
	pg.Kill()
	cfg := testConfig(t, t.TempDir(), protocol.Spec{})
	cfg.Sources = []SourceConfig{{Name: "orders", Address: pg.URL(), Region: cfg.WAN.Regions[1]}}
	c := startTest(t, cfg)
	defer closeTest(t, c)
	atomically(t, c.DB(cfg.WAN.Regions[0]), increment)
	if n := count(t, c.DB(cfg.WAN.Regions[0])); n != 1 {
		t.Errorf("the shard's counter is %d", n)
	}
	if err := c.complaint("refused"); err == nil || !strings.Contains(err.Error(), "source orders") || !strings.Contains(err.Error(), "refused") {
		t.Errorf("error of a server that is down: %v", err)
	}
	if err := pg.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if err := c.AwaitSources(ctx); err != nil {
		t.Error(err)
	}
}

// While a database with another identity answers, no branch begins there, and a branch that it does not have
// does not count as ended.
func TestASourceWithOtherData(t *testing.T) {
	c, _, _ := withSources(t, protocol.Default)
	db := c.DB(c.cfg.WAN.Regions[0])
	s := sourcesOf(db)[0]
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	d, err := db.(txn.SourceCatalogue).DescribeSource(ctx, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	know := func(identity string) {
		t.Helper()
		if _, err := coordinator.ChangeDirectory(ctx, db, func(d *routing.Directory) error { return d.AcceptSource("orders", identity) }); err != nil {
			t.Fatal(err)
		}
		for r := c.runners[1]; r.agents.identityOf("orders") != identity; {
			time.Sleep(time.Millisecond)
		}
	}
	know("another")
	if _, err := db.(txn.SourceCatalogue).DescribeSource(ctx, s.ID); err == nil || !strings.Contains(err.Error(), "another database answers there") {
		t.Errorf("another database is described: %v", err)
	}
	begun := func() error {
		tx := db.Begin(txn.Options{})
		defer tx.Rollback()
		_, err := tx.(txn.Sources).Execute(ctx, to(s, "SELECT 1"), true)
		return err
	}
	if err := begun(); err == nil || !strings.Contains(err.Error(), "another database answers there") {
		t.Errorf("a branch begins at another database: %v", err)
	}
	h := c.runners[1].agents.called("orders")
	if _, err := h.Finish(ctx, source.Name{Cluster: 1, Source: s.ID}, true); err == nil {
		t.Error("a branch counts as ended")
	}
	know(d.Identity)
	if _, err := db.(txn.SourceCatalogue).DescribeSource(ctx, s.ID); err != nil {
		t.Errorf("the right one: %v", err)
	}
	if found, err := h.Finish(ctx, source.Name{Cluster: 1, Source: s.ID}, true); err != nil || found {
		t.Errorf("a missing branch: %v, %v", found, err)
	}
	if err := begun(); err != nil {
		t.Error(err)
	}
}

// A source that is refused is reported in a line without the account's secrets.
func TestSourcesThatAreRefused(t *testing.T) {
	pg, _ := realServers(t)
	wrong := strings.Replace(pg.URL(), "s3cret", "wr0ng", 1)
	if wrong == pg.URL() {
		t.Fatal("the address has another password than the test thinks")
	}
	cfg := testConfig(t, t.TempDir(), protocol.Spec{})
	region := cfg.WAN.Regions[0]
	c := startTest(t, withSource(cfg, SourceConfig{Name: "orders", Address: wrong, Region: region}))
	defer closeTest(t, c)
	err := c.complaint("password")
	if err == nil || !strings.Contains(err.Error(), "password") || strings.Contains(err.Error(), "wr0ng") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a wrong password: %v", err)
	}
	for _, bad := range []SourceConfig{
		{Name: "Orders!", Address: pg.URL(), Region: region},
		{Name: "orders", Address: "oracle://a@b/c", Region: region},
	} {
		if _, err := Start(context.Background(), withSource(testConfig(t, t.TempDir(), protocol.Spec{}), bad)); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// complaint returns the error of sources that are not served, once it contains a word or a minute is over: on a
// busy machine a source may not have been tried yet.
func (c *Cluster) complaint(word string) (err error) {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		short, stop := context.WithTimeout(context.Background(), time.Second)
		err = c.AwaitSources(short)
		stop()
		if err == nil || strings.Contains(err.Error(), word) {
			break
		}
	}
	return err
}

func withSource(cfg Config, s SourceConfig) Config {
	cfg.Sources = append(cfg.Sources, s)
	return cfg
}
