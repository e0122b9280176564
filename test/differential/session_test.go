package main

import (
	"net"
	"strings"
	"testing"
	"time"
)

// fakeServer lets everybody in and answers every statement with an empty OK, but for "hang", which it does not answer,
// and "lost", at which it closes the connection.
func fakeServer(t *testing.T) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go answerAll(c)
		}
	}()
	return &Server{Name: "fake", address: l.Addr().String()}
}

func answerAll(c net.Conn) {
	defer c.Close()
	ok := []byte{7, 0, 0, 1, 0, 1, 0, 2, 0, 0, 0} // one row affected
	if _, err := c.Write([]byte{1, 0, 0, 0, 10}); err != nil {
		return
	}
	for {
		b := make([]byte, 4096)
		n, err := c.Read(b)
		switch text := string(b[:n]); {
		case err != nil || strings.Contains(text, "lost"):
			return
		case strings.Contains(text, "hang"):
			continue
		}
		if _, err := c.Write(ok); err != nil {
			return
		}
	}
}

// A statement without an answer, or whose connection is lost, is a difference, and the session lives.
func TestLateAndLostStatements(t *testing.T) {
	s := &Session{server: fakeServer(t), database: "d", bound: 200 * time.Millisecond}
	if err := s.open(); err != nil {
		t.Fatal(err)
	}
	defer s.close()
	for query, want := range map[string]Kind{"SELECT hang": KindTimeout, "SELECT lost": KindCrash, "SELECT 1": ""} {
		st := &Statement{Tree: text(query), Mode: modeStrict}
		a, err := s.run(st, false)
		if err != nil {
			t.Fatal(err)
		}
		var got Kind
		if d := differ(st, a, &Answer{Result: &Result{Affected: 1}}); len(d) > 0 {
			got = d[0].Kind
		}
		if got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

func TestValuesShownOtherwise(t *testing.T) {
	s := &Session{shown: map[string]string{}, before: map[string][][]Cell{}}
	table := &Table{Name: "t"}
	s.learnShown(table, [][]Cell{{Cell("1e+15"), nil}, {Cell("2"), Cell("x")}}, [][]Cell{{Cell("1e15"), nil}, {Cell("2"), Cell("x")}})
	if got := s.asShown(table, [][]Cell{{Cell("1e+15"), Cell("1e+15")}}); string(got[0][0]) != "1e15" || string(got[0][1]) != "1e+15" {
		t.Errorf("%q", got)
	}
	if string(s.before["t"][0][0]) != "1e15" {
		t.Errorf("%q", s.before["t"])
	}
}

// A server that has ended is started again, with the tables; the statement that another has cost its answer runs again.
func TestTheServerIsStartedAgain(t *testing.T) {
	iso, err := startChild(t.Context(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer iso.Close()
	tables := newTables(1)
	s := &Session{server: iso, database: "d", tables: tables[len(tables)-1:]}
	if err := s.open(); err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if err := iso.child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	a, err := s.run(&Statement{Tree: text("SELECT COUNT(*) FROM auto"), Mode: modeStrict}, false)
	if err != nil || a.Lost != "" || a.Err != nil || string(a.Result.Rows[0][0]) != "6" || s.life != 2 {
		t.Errorf("%+v, %v, life %d", a, err, s.life)
	}
}
