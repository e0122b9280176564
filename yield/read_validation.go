package yield

import "isochron/txn"

// StillValid checks that reads are still valid: every row has its version, and every span the same
// rows. It returns the reason if they are not.
func StillValid(row func(txn.Key) txn.Row, scan func(txn.Scan) txn.ScanRows, reads []txn.ReadCheck, spans []txn.SpanCheck) txn.AbortReason {
	for _, c := range reads {
		if row(c.Key).Version != c.Version {
			return txn.ReasonRowChanged
		}
	}
	for _, s := range spans {
		rows, whole := rowsOf(scan, s.Span, s.Count)
		if !whole || len(rows) != s.Count || txn.Digest(rows) != s.Digest {
			return txn.ReasonRangeChanged
		}
	}
	return txn.NotRefused
}

// ChangedBy is the version that replaced the first changed row, if a row is the reason.
func ChangedBy(row func(txn.Key) txn.Row, reason txn.AbortReason, reads []txn.ReadCheck) txn.Version {
	if reason == txn.ReasonRowChanged {
		for _, c := range reads {
			if now := row(c.Key).Version; now != c.Version {
				return now
			}
		}
	}
	return txn.Version{}
}

// Guarded reports whether no schema check contradicts the rows here. A shard without such a row
// does not contradict it.
func Guarded(row func(txn.Key) txn.Row, guards []txn.ReadCheck) bool {
	for _, g := range guards {
		if have := row(g.Key); have.Value != nil && have.Version != g.Version {
			return false
		}
	}
	return true
}

// rowsOf reads a span that should have count rows; whole is false if it has more.
func rowsOf(scan func(txn.Scan) txn.ScanRows, span txn.Span, count int) (rows []txn.Row, whole bool) {
	for len(rows) <= count {
		got := scan(txn.Scan{Span: span})
		rows = append(rows, got.Rows...)
		if !got.More {
			return rows, true
		}
		span.Start = got.Rows[len(got.Rows)-1].Key + "\x00"
	}
	return rows, false
}
