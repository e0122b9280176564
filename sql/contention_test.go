package sql

import (
	"context"
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/routing"
	"isochron/sql/catalog"
	"isochron/sql/sqltest"
	"isochron/txn"
)

// contentionOnly is a gateway whose survey is given.
type contentionOnly struct {
	*sqltest.Gateway
	of func() txn.ContentionReport
}

func (s contentionOnly) Contention(context.Context) (txn.ContentionReport, error) { return s.of(), nil }

// A node that does not answer is named in a warning; what the others say is shown,
// of keys of every kind.
func TestSilentNodesAreNamed(t *testing.T) {
	cluster := sqltest.NewCluster(testRegions...)
	var answer txn.ContentionReport
	s, err := NewServer(contentionOnly{cluster.Gateway("va"), func() txn.ContentionReport { return answer }}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	cfg := mysql.NewConfig()
	cfg.Net, cfg.Addr, cfg.User = "tcp", s.Addr().String(), "root"
	pool, err := sql.Open("mysql", cfg.FormatDSN())
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pool.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	c := &client{t, conn, pool}
	c.exec("CREATE DATABASE shop")
	c.exec("CREATE TABLE shop.t (a VARCHAR(10) COLLATE utf8mb4_0900_ai_ci, b INT, c DATETIME, d DECIMAL(6,2), e VARBINARY(4), PRIMARY KEY (a, b), KEY by_c (c, d, e))")
	c.exec("INSERT INTO shop.t VALUES ('Zoë', -3, '2024-02-29 12:00:00', 1.5, 'ab')")
	keys := tableKeys(t, s)
	hot := txn.HotKey{Shard: 1, Queue: 4, MilliUpdates: 1500}
	reply := &txn.ContentionReply{Rollbacks: []uint64{txn.CauseWound: 7, txn.CauseCascade: 9}, Retried: []uint64{txn.CauseWound: 5}, Admission: []txn.AdmissionClass{
		{Table: keys[0][:routing.TablePrefixBytes], Queue: 3, Running: 2, Window: 2, Admitted: 7, Delayed: 5, Refused: 1, LostPercent: 60},
		{Table: "gone", Once: true, Running: 8, Queue: 4}}}
	for _, k := range keys {
		hot.Key = k
		reply.Hot = append(reply.Hot, hot)
	}
	gone := keys[0][:len(keys[0])-1] + "\x07" // another b, of a row that is not there
	hot.Key = gone
	reply.Hot = append(reply.Hot, hot)
	answer = txn.ContentionReport{Nodes: map[txn.NodeID]*txn.ContentionReply{1: reply}, Silent: []txn.NodeID{2}}
	c.expect("SELECT table_name, index_name, row_key, queue_length + 1, updates_per_second FROM isochron.hot_rows", strings.Join([]string{
		"t | PRIMARY | a='Zoë', b=-3 | 5 | 1.5",
		"t | by_c | c='2024-02-29 12:00:00', d=1.50, e=ab | 5 | 1.5",
		"t | PRIMARY | a=?, b=-249 | 5 | 1.5",
	}, "\n"))
	c.expect("SHOW WARNINGS", "Warning | 1158 | node 2 (wa) has not answered within 2s: what it knows is missing")
	c.expect("SELECT table_schema, table_name, kind, window_size, running, queue_length, admitted, queued_total, refused, failed_percent FROM isochron.admission", strings.Join([]string{
		" |  | single update | NULL | 8 | 4 | 0 | 0 | 0 | 0",
		"shop | t | transaction | 2 | 2 | 3 | 7 | 5 | 1 | 60",
	}, "\n"))
	c.expect("SELECT region, count, retried FROM isochron.rollbacks WHERE cause = 'cascade'", "va | 9 | 0") // an older node tells of none
	c.expect("SELECT region, count, retried FROM isochron.rollbacks WHERE cause = 'deadlock (wound)'", "va | 7 | 5")
}

// tableKeys are the keys of the one table's rows and entries.
func tableKeys(t *testing.T, s *Server) []txn.Key {
	t.Helper()
	tx := s.gateway.db.Begin(txn.Options{ReadOnly: true})
	defer tx.Rollback()
	d := s.gateway.store.Held().Sorted()[0]
	var keys []txn.Key
	for _, x := range append([]*catalog.IndexInfo{d.Primary}, d.Indexes...) {
		prefix := string(d.Prefix(x, 0))
		res, err := tx.Read(context.Background(), txn.Read{Scans: []txn.Scan{{Span: txn.Span{Start: txn.Key(prefix), End: txn.Key(routing.PrefixEnd(prefix))}}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range res.Pairs[0] {
			keys = append(keys, p.Key)
		}
	}
	if len(keys) != 2 {
		t.Fatalf("the table has %d keys", len(keys))
	}
	return keys
}
