package source

import (
	"fmt"
	"strconv"
	"strings"
)

// record is a row of a source used as a store of single records, each with its own version
// (versions.go). The stored text is the version, the value's length and the value; of a prepared record
// also the name of the branch and the text it replaced.
type record struct {
	version  uint64 // increases by one with each write; 0: no such row
	value    string
	prepared string // the branch that has it prepared; "": committed
	before   string // the replaced text; "": none
}

// text returns the record as stored.
func (r record) text() string {
	out := fmt.Sprintf("%d %d %s", r.version, len(r.value), r.value)
	if r.prepared != "" {
		out += " " + r.prepared + " " + r.before
	}
	return out
}

// parseRecord parses a stored text; ok is false if an agent did not write it.
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

// ended returns the text to store once the branch that has the record prepared has ended.
func (r record) ended(commit bool) string {
	if !commit {
		return r.before
	}
	r.prepared, r.before = "", ""
	return r.text()
}

// swap is a conditional write: if the text stored under key is old, it becomes new. "" is no row.
type swap struct{ key, old, new string }

// verbSwap is the store's statement for a swap. Its result reports one changed row, or none.
const verbSwap = "SWAP"

func (s swap) statement() Statement {
	return Statement{Text: fmt.Sprintf("%s %s %d %s%s", verbSwap, s.key, len(s.old), s.old, s.new)}
}

// ParseSwap parses the argument of a SWAP, after the key: the expected text and the new one; "" is no
// row.
func ParseSwap(arg string) (old, new string, ok bool) {
	length, rest, found := strings.Cut(arg, " ")
	n, err := strconv.Atoi(length)
	if !found || err != nil || n < 0 || n > len(rest) {
		return "", "", false
	}
	return rest[:n], rest[n:], true
}
