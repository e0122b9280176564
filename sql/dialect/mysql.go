package dialect

import (
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// forMySQL gives a statement to a source that speaks MySQL. Its text goes as it came, unless it
// is made of a tree, or says FOR SHARE, which MariaDB does not know and which is LOCK IN SHARE
// MODE in both.
func forMySQL(p parsed, text string) (t Translation, err error) {
	defer caught(&err)
	t.Kind = kindOf(p.stmt)
	u := usesOf(p.stmt)
	t.Reads, t.Writes = u.reads, u.writes
	if text != "" && !p.share {
		t.Text, t.Untouched = text, true
		for i := range p.places {
			t.Args = append(t.Args, i)
		}
		return t, nil
	}
	t.Text, t.Args = formatted(p)
	if again, err := parse(t.Text, Options{}); err != nil || plainText(again.stmt) != plainText(p.stmt) {
		refuse("this statement", "its text cannot be written again from what was read", "Write it without FOR SHARE, or with all its rows at one source")
	}
	return t, nil
}

// formatted is a tree as MySQL's text.
func formatted(p parsed) (string, []int) {
	var args []int
	buf := sqlparser.NewTrackedBuffer(func(buf *sqlparser.TrackedBuffer, n sqlparser.SQLNode) {
		switch n := n.(type) {
		case *sqlparser.SQLVal:
			if n.Type == sqlparser.ValArg {
				place, err := strconv.Atoi(strings.TrimPrefix(string(n.Val), ":v"))
				if err != nil {
					refuse("the placeholder "+string(n.Val), "only ? stands for a value", "")
				}
				args = append(args, place-1)
				buf.Myprintf("?")
				return
			}
		case *sqlparser.Select:
			if p.share && n.Lock != nil && n.Lock.Type != "" {
				if n.Lock.Type != sqlparser.ForUpdateStr {
					refuse("FOR SHARE with OF, NOWAIT or SKIP LOCKED", "MySQL and MariaDB do not share a way to say it", "Use FOR UPDATE, or leave the word out")
				}
				c := *n
				c.Lock = &sqlparser.Lock{Type: sqlparser.ShareModeStr}
				c.Format(buf)
				return
			}
		}
		n.Format(buf)
	})
	buf.Myprintf("%v", p.stmt)
	return buf.String(), args
}

// plainText is a tree as text in which all placeholders and locking clauses are alike.
func plainText(stmt sqlparser.Statement) string {
	buf := sqlparser.NewTrackedBuffer(func(buf *sqlparser.TrackedBuffer, n sqlparser.SQLNode) {
		switch n := n.(type) {
		case *sqlparser.SQLVal:
			if n.Type == sqlparser.ValArg {
				buf.Myprintf("?")
				return
			}
		case *sqlparser.Select:
			c := *n
			c.Lock = nil
			c.Format(buf)
			return
		}
		n.Format(buf)
	})
	buf.Myprintf("%v", stmt)
	return buf.String()
}
