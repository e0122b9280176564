package sql

import (
	"os"
	"strings"
	"testing"
)

// A query over more rows than its memory holds is answered by files, within their bound, and leaves none.
func TestQueriesSpill(t *testing.T) {
	dir := t.TempDir()
	left := dir + "/isochron-spill-left"
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, c := startBounded(t, Config{Memory: Memory{Statements: 16 << 20}, SpillDir: dir})
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("a file of an earlier process is there: %v", err)
	}
	query := "SELECT x.a, y.a FROM n x, n y ORDER BY y.b, x.a DESC, y.a LIMIT 89999, 1"
	c.expect(query, "0 | 299")
	c.expect("SELECT count(*) FROM (SELECT DISTINCT x.a, y.a AS ya FROM n x, n y) d", "90000")
	c.expect("SELECT count(*), max(n) FROM (SELECT x.a, y.a AS ya, count(*) AS n FROM n x, n y GROUP BY x.a, y.a) g", "90000 | 1")

	c.exec("SET isochron_statement_files = 100000")
	_, err := c.try(query)
	if n, _, message := codeOf(err); n != codeCapacity || !strings.Contains(message, "isochron_statement_files") {
		t.Errorf("with few files: %v", err)
	}
	c.exec("SET isochron_statement_files = DEFAULT")
	c.exec("SET GLOBAL isochron_node_files = 100000")
	_, err = c.try(query)
	if n, _, message := codeOf(err); n != codeAllFilesFull || !strings.Contains(message, "isochron_node_files") {
		t.Errorf("with few files for all: %v", err)
	}
	c.exec("SET GLOBAL isochron_node_files = DEFAULT")
	c.expect(query, "0 | 299")
	c.exec("SET isochron_statement_files = 0")
	_, err = c.try(query)
	if n, _, message := codeOf(err); n != codeCapacity || !strings.Contains(message, statementMemory) {
		t.Errorf("without files: %v", err)
	}
	if n := s.gateway.spill.Used(); n != 0 {
		t.Errorf("%d bytes of files are counted still", n)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("%d files are left, %v", len(list), err)
	}
}
