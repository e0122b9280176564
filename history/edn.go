package history

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// ExportEDN writes a history of lists or registers as Jepsen's operations, one map
// a line, which Elle's checkers (list-append, rw-register) read: an invocation and a
// completion for each record, in the order of their times. Keys are strings there;
// the value that a register had first is nil.
func ExportEDN(w io.Writer, h *History) error {
	buf := bufio.NewWriter(w)
	for i, e := range jepsenOrder(h) {
		if _, err := fmt.Fprintf(buf, "{:type :%s, :f :txn, :value [%s], :process %d, :time %d, :index %d}\n",
			e.kind, ednOps(e.record, e.kind == "ok"), e.process, e.nanos, i); err != nil {
			return err
		}
	}
	return buf.Flush()
}

// ednOps returns a record's operations; results of reads are known only for a commit.
func ednOps(r *Record, read bool) string {
	var out []string
	for _, op := range r.Ops {
		switch {
		case op.Kind == Put:
			out = append(out, fmt.Sprintf("[:w %q %d]", op.Key, op.Value))
		case op.Kind == Get && read && op.Value != 0:
			out = append(out, fmt.Sprintf("[:r %q %d]", op.Key, op.Value))
		case op.Kind == Get:
			out = append(out, fmt.Sprintf("[:r %q nil]", op.Key))
		case op.Kind == Append:
			out = append(out, fmt.Sprintf("[:append %q %d]", op.Key, op.Value))
		case op.Kind == ReadList && read:
			out = append(out, fmt.Sprintf("[:r %q [%s]]", op.Key, strings.Trim(fmt.Sprint(op.List), "[]")))
		case op.Kind == ReadList:
			out = append(out, fmt.Sprintf("[:r %q nil]", op.Key))
		}
	}
	return strings.Join(out, " ")
}
