package yield

import "isochron/txn"

// SpanDigest counts the live rows of a span and returns their txn.Digest. It may stop behind more than most rows.
type SpanDigest func(span txn.Span, most int) (count int, digest uint64)

// StillValid checks that reads are still valid: every row has its version, and every span the same
// rows. It returns the reason if they are not.
func StillValid(row func(txn.Key) txn.Row, digest SpanDigest, reads []txn.ReadCheck, spans []txn.SpanCheck) txn.AbortReason {
	for _, c := range reads {
		if row(c.Key).Version != c.Version {
			return txn.ReasonRowChanged
		}
	}
	for _, s := range spans {
		if count, sum := digest(s.Span, s.Count); count != s.Count || sum != s.Digest {
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
