package sql

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// A file that the client sends is inserted row by row, by the core.
func TestLoadData(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	file := ""
	mysql.RegisterReaderHandler("file", func() io.Reader { return strings.NewReader(file) })
	t.Cleanup(func() { mysql.DeregisterReaderHandler("file") })
	const load = "LOAD DATA LOCAL INFILE 'Reader::file' "
	c.fails(load+"INTO TABLE t", "3948")
	c.exec("SET GLOBAL local_infile = 1")
	t.Cleanup(func() { c.exec("SET GLOBAL local_infile = 0") })
	for _, w := range []struct{ file, text, rows string }{
		{"1\ta\t5\n2\tb\\tb\t\\N\n3\tc\n", "INTO TABLE t", "1 | a | 5\n2 | b\tb | NULL\n3 | c | 7"},
		{"1\ta\t5\n1\tb\t6\n", "INTO TABLE t", "1 | a | 5"},
		{"1\ta\t5\n1\tb\t6\n", "REPLACE INTO TABLE t", "1 | b | 6"},
		{"head\n1,\"a,\"\"x\"\"\",NULL\r\n2,\"NULL\",3", "INTO TABLE t FIELDS TERMINATED BY ',' ENCLOSED BY '\"' LINES TERMINATED BY '\\r\\n' IGNORE 0 LINES", "0 | a,\"x\" | NULL\n2 | NULL | 3"},
		{"head\n1,\"a,\"\"x\"\"\",NULL\n2,\"NULL\",3", "INTO TABLE t FIELDS TERMINATED BY ',' ENCLOSED BY '\"' IGNORE 1 LINES", "1 | a,\"x\" | NULL\n2 | NULL | 3"},
		{"x>1|a\ny\nz>2|b\n", "INTO TABLE t FIELDS TERMINATED BY '|' LINES STARTING BY '>' (id, s)", "1 | a | 7\n2 | b | 7"},
		{"a\t3\nb\t4\n", "INTO TABLE t (@s, id) SET s = CONCAT(@s, '!'), n = id * 2", "3 | a! | 6\n4 | b! | 8"},
		{"", "INTO TABLE t", ""},
	} {
		c.exec("DROP TABLE IF EXISTS t")
		c.exec("CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(10), n INT DEFAULT 7)")
		file = w.file
		before := f.servers["va"].gateway.byEngine.Load()
		c.exec(load + w.text)
		c.expect("SELECT * FROM t ORDER BY id", w.rows)
		if f.servers["va"].gateway.byEngine.Load() > before {
			t.Errorf("the engine executed %s", w.text)
		}
	}
	c.fails("LOAD DATA INFILE '/etc/passwd' INTO TABLE t", "1235")
	c.fails(load+"INTO TABLE nosuch", "1146")
	file = strings.Repeat(fmt.Sprintf("1\t%s\n", strings.Repeat("x", 1000)), 1000)
	c.exec("SET isochron_statement_memory = 1000000")
	c.fails(load+"INTO TABLE t", "isochron_statement_memory")
}
