package sql

import (
	"slices"
	"strings"
	"testing"

	"isochron/sql/sqltest"
	"isochron/txn"
)

// What a statement writes is read for writing, so that it is locked exclusively at
// once: a shared lock that two hold is one that neither can raise. What it only
// reads is not.
func TestWhatIsWrittenIsReadForWriting(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	for _, name := range []string{"w", "r"} {
		c.exec("CREATE TABLE " + name + " (id INT PRIMARY KEY, n INT, KEY (n))")
		c.exec("INSERT INTO " + name + " VALUES (1, 1), (2, 2), (3, 3)")
	}
	written := tableOf(t, f, "w")
	for _, text := range []string{
		"UPDATE w SET n = n + 1 WHERE id = 1",
		"UPDATE w SET n = n + 1 WHERE n > 1",
		"UPDATE w SET n = n + 1",
		"DELETE FROM w WHERE id = 3",
		"DELETE FROM w WHERE n = 77",
		"INSERT INTO w VALUES (9, 9)",
		"REPLACE INTO w VALUES (9, 8)",
		"INSERT INTO w VALUES (9, 9) ON DUPLICATE KEY UPDATE n = n + 1",
		"UPDATE w JOIN r ON w.id = r.id SET w.n = r.n",
		"UPDATE w SET n = 5 WHERE id IN (SELECT id FROM r WHERE n > 1)",
		"DELETE w FROM w JOIN r ON w.id = r.id WHERE r.n = 3",
		"DELETE FROM w WHERE id IN (SELECT id FROM r WHERE n > 2)",
		"INSERT INTO w SELECT id + 20, n FROM r",
	} {
		var forWrite, plain, wrong int
		f.cluster.BeforeRead = func(tx *sqltest.Txn, r txn.Read) error {
			if tx.Options().SessionID == 0 {
				return nil
			}
			ofWritten := false
			for _, k := range r.Gets {
				ofWritten = ofWritten || written(k)
			}
			for _, s := range r.Scans {
				ofWritten = ofWritten || written(s.Span.Start)
			}
			switch {
			case ofWritten && r.ForWrite:
				forWrite++
			case !ofWritten && !r.ForWrite:
				plain++
			default:
				wrong++
			}
			return nil
		}
		c.exec(text)
		f.cluster.BeforeRead = nil
		if joins := strings.Contains(text, " r "); forWrite == 0 || wrong > 0 || joins && plain == 0 {
			t.Errorf("%s: %d reads for writing of what it writes, %d of what it only reads, %d the wrong way round", text, forWrite, plain, wrong)
		}
	}
}

// tableOf tells which keys are of a table's rows and entries.
func tableOf(t *testing.T, f *fixture, name string) func(txn.Key) bool {
	t.Helper()
	d, ok := f.servers["va"].gateway.store.Held().Table("shop", name)
	if !ok {
		t.Fatalf("there is no table %s", name)
	}
	prefixes := []string{string(d.Prefix(d.Primary, 0))}
	for _, x := range d.Indexes {
		prefixes = append(prefixes, string(d.Prefix(x, 0)))
	}
	return func(k txn.Key) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(string(k), p) })
	}
}
