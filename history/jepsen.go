package history

import (
	"cmp"
	"slices"
)

// jepsenEvent is half of a record, as in Jepsen's histories.
type jepsenEvent struct {
	kind    string // invoke, ok, fail or info
	record  *Record
	process int
	nanos   int64
}

// jepsenOrder returns a history as invocations and completions. In Jepsen
// a process whose operation ended as info has no further operations: its
// client continues with a new number.
func jepsenOrder(h *History) []jepsenEvent {
	records := slices.Clone(h.Records)
	slices.SortStableFunc(records, func(a, b *Record) int { return cmp.Compare(a.InvokeNanos, b.InvokeNanos) })
	next := 0
	for _, r := range records {
		next = max(next, r.Process+1)
	}
	now := map[int]int{} // the number of each client
	var out []jepsenEvent
	for _, r := range records {
		process, known := now[r.Process]
		if !known {
			process = r.Process
			if process < 0 { // the final read belongs to no client
				process, next = next, next+1
			}
			now[r.Process] = process
		}
		kind := "info"
		switch r.Outcome {
		case OK:
			kind = "ok"
		case Fail:
			kind = "fail"
		default:
			now[r.Process] = next
			next++
		}
		out = append(out, jepsenEvent{"invoke", r, process, r.InvokeNanos}, jepsenEvent{kind, r, process, r.CompleteNanos})
	}
	// At equal times the completion precedes if it belongs to an earlier record.
	slices.SortStableFunc(out, func(a, b jepsenEvent) int { return cmp.Compare(a.nanos, b.nanos) })
	return out
}
