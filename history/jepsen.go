package history

import (
	"cmp"
	"slices"
)

// jepsenEvent is half of a record, as Jepsen tells histories.
type jepsenEvent struct {
	kind    string // invoke, ok, fail or info
	record  *Record
	process int
	nanos   int64
}

// jepsenOrder tells a history as invocations and completions. Jepsen has it that
// a process whose operation ended as info never does another: from then on its
// client goes by a new number.
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
			if process < 0 { // the last reading is no client's
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
	// Of equal times the completion comes first if it is of an earlier record.
	slices.SortStableFunc(out, func(a, b jepsenEvent) int { return cmp.Compare(a.nanos, b.nanos) })
	return out
}
