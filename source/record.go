package source

import (
	"fmt"
	"strconv"
	"strings"
)

// record is a row of a source that is used as a store of single records, each with a version of
// its own (versions.go). In the store it is a text: its version, how long its value is and the
// value; and of one that is prepared the branch that has it so, and the text that stood there
// before.
type record struct {
	version  uint64 // rises by one with each write; 0: it is not there
	value    string
	prepared string // the name of the branch; "": it is committed
	before   string // the text that stood there; "": none
}

// text is the record as it stands in the store.
func (r record) text() string {
	out := fmt.Sprintf("%d %d %s", r.version, len(r.value), r.value)
	if r.prepared != "" {
		out += " " + r.prepared + " " + r.before
	}
	return out
}

// parseRecord reads a text; ok is false if nothing of ours has written it.
func parseRecord(text string) (r record, ok bool) {
	version, rest, _ := strings.Cut(text, " ")
	length, rest, found := strings.Cut(rest, " ")
	v, err := strconv.ParseUint(version, 10, 64)
	n, more := strconv.Atoi(length)
	if !found || err != nil || more != nil || v == 0 || n < 0 || n > len(rest) {
		return record{}, false
	}
	r.version, r.value = v, rest[:n]
	if rest = rest[n:]; rest == "" {
		return r, true
	}
	if r.prepared, r.before, ok = strings.Cut(strings.TrimPrefix(rest, " "), " "); !ok || rest[0] != ' ' || r.prepared == "" {
		return record{}, false
	}
	return r, true
}

// ended is the text that stands there once the branch has ended that has it prepared.
func (r record) ended(commit bool) string {
	if !commit {
		return r.before
	}
	r.prepared, r.before = "", ""
	return r.text()
}

// swap is a conditional write of a store: if this text stands under the key another takes its
// place. "" is no row.
type swap struct{ key, old, new string }

// verbSwap has a store do one. Its answer says that a row was changed, or that none was.
const verbSwap = "SWAP"

func (s swap) statement() Statement {
	return Statement{Text: fmt.Sprintf("%s %s %d %s%s", verbSwap, s.key, len(s.old), s.old, s.new)}
}

// ParseSwap reads what stands behind the key in a store's SWAP: the text that must stand there, and
// the one that takes its place; "" is no row.
func ParseSwap(arg string) (old, new string, ok bool) {
	length, rest, found := strings.Cut(arg, " ")
	n, err := strconv.Atoi(length)
	if !found || err != nil || n < 0 || n > len(rest) {
		return "", "", false
	}
	return rest[:n], rest[n:], true
}
