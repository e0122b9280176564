package sql

import (
	"bytes"
	"database/sql"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"isochron/sql/expr"
	"isochron/sql/sqltest"
)

// panicking are statements that the engine panics at, or has panicked at.
var panicking = []string{
	"SELECT curtime(v) FROM p", "SELECT json_value('a', '2020-01-01', NULL)", "SELECT unix_timestamp(x'00')", "SELECT unix_timestamp(interval 1 day)",
	"SELECT 1 FROM p LIMIT NULL", "SELECT round(1e308)", "SELECT abs(interval 1 day)", "SELECT concat(interval 1 day)", "SELECT sum(interval 1 day) FROM p",
	"SHOW VARIABLES WHERE curtime(Value)", "SHOW STATUS WHERE unix_timestamp(x'00')",
	"SELECT json_array(interval 1 day) FROM p", "SELECT max(interval 1 day), v FROM p GROUP BY v",
	"SELECT 1 FROM p" + counted(70, " JOIN p AS p%d ON p.v = p%[1]d.v"),
}

// lockedBuffer is a log that many write.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// What the engine panics at ends the statement with an error, not the connection; the
// client sees no trace, the log has a line.
func TestPanicsEndTheStatement(t *testing.T) {
	var log lockedBuffer
	s, err := NewServer(sqltest.NewCluster("va").Gateway("va"), Config{Slow: SlowLog{Log: slog.New(slog.NewTextHandler(&log, nil))}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	f := &fixture{servers: map[string]*Server{"va": s}}
	c := f.connect(t, "va", "")
	c.exec("CREATE DATABASE shop")
	c.exec("USE shop")
	c.exec("CREATE TABLE p (v VARCHAR(20) PRIMARY KEY)")
	c.exec("INSERT INTO p VALUES ('12:00:00'), ('x')")
	id := c.query("SELECT CONNECTION_ID()")
	failed := 0
	for _, query := range panicking {
		for _, do := range []func() error{
			func() error { _, err := c.try(query); return err },
			func() error { // prepared
				p, err := c.conn.PrepareContext(t.Context(), query)
				if err != nil {
					return err
				}
				defer p.Close()
				rows, err := p.Query()
				if err != nil {
					return err
				}
				defer rows.Close()
				for rows.Next() {
					_ = rows.Scan(new(sql.RawBytes)) // the error is asked for below
				}
				return rows.Err()
			},
		} {
			err := do()
			if err == nil {
				continue
			}
			n, _, message := codeOf(err)
			if n == 0 || strings.Contains(message, "goroutine") || strings.Contains(message, ".go:") || strings.Contains(message, "runtime error") {
				t.Errorf("%.60s: %.300v", query, err)
			}
			if strings.Contains(message, "digest ") {
				failed++
			}
		}
		if now, err := c.try("SELECT CONNECTION_ID()"); err != nil || now != id {
			t.Fatalf("after %.60s the connection %q is %q (%v)", query, id, now, err)
		}
	}
	if failed == 0 {
		t.Error("the engine panics at none of these any more: find others")
	}
	if said := log.String(); !strings.Contains(said, "digest=") || !strings.Contains(said, "at=") || strings.Contains(said, "goroutine") {
		t.Errorf("the log says %q", said)
	}
	c.exec("INSERT INTO p VALUES ('y')")
	c.expect("SELECT COUNT(*) FROM p", "3")

	x := &execution{request: textRequest("SELECT v + 1 FROM p", false), h: s.gateway.handler}
	failure := asSQLError(x.coreFailed(&expr.Panic{Reason: "no such weight", Stack: "panic(1)\nisochron/sql/expr.weigh(2)"}))
	if failure.Num != codeUnspecified || !strings.Contains(failure.Message, "digest ") || !strings.Contains(log.String(), `panic="no such weight" at=isochron/sql/expr.weigh`) {
		t.Errorf("an expression has panicked: %v; the log says %q", failure, log.String())
	}
}
