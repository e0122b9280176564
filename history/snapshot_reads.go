package history

import "slices"

// checkSnapshotReads checks that a snapshot read has all commits up to its timestamp,
// and no later ones, whenever it is made. writes and reads are the kinds of operations
// that add a value to a list and that read it whole.
func checkSnapshotReads(h *History, report *Report, writes, reads Kind) {
	written := map[string][]element{}
	writer := map[element]*Record{}
	for _, w := range h.Records {
		if w.Outcome != OK || w.At == 0 || w.ReadTS {
			continue
		}
		for _, op := range w.Ops {
			if e := (element{op.Key, op.Value}); op.Kind == writes {
				written[op.Key] = append(written[op.Key], e)
				writer[e] = w
			}
		}
	}
	for _, r := range h.Records {
		if r.Outcome != OK || !r.ReadTS || r.At == 0 {
			continue
		}
		for _, op := range r.Ops {
			if op.Kind != reads {
				continue
			}
			for _, e := range written[op.Key] {
				w := writer[e]
				if has := slices.Contains(op.List, e.value); has != (w.At <= r.At) {
					report.add("snapshot-read-broken", "%s read at timestamp %d; whether it has %d of %s, by %s committed at %d: %v",
						r, r.At, e.value, op.Key, w, w.At, has)
				}
			}
		}
	}
}
