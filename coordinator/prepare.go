package coordinator

import (
	"cmp"
	"slices"

	"isochron/routing"
	"isochron/txn"
)

// divide divides reads and writes among the shards that hold them, rising.
func divide(dir *routing.Directory, t *transaction, writes []txn.Write, protocolSeq uint64) (out []*txn.Prepare, err *txn.Error) {
	of := func(id txn.ShardID) *txn.Prepare {
		i, ok := slices.BinarySearchFunc(out, id, func(p *txn.Prepare, s txn.ShardID) int { return cmp.Compare(p.Shard, s) })
		if !ok {
			p := &txn.Prepare{Shard: id, Txn: t.id, Age: t.age, ProtocolSeq: protocolSeq, Record: t.record}
			if t.level == txn.RepeatableRead {
				p.Since = t.readTS
			}
			if tc := t.touch(p.Shard); tc != nil {
				p.LockTerm = tc.lockTerm
			}
			out = slices.Insert(out, i, p)
		}
		return out[i]
	}
	at := func(k txn.Key) (*txn.Prepare, *txn.Error) {
		id, ok := dir.ShardOf(string(k))
		if !ok {
			return nil, txn.Errorf(txn.KindInvalidRequest, "no shard holds the key %q", k)
		}
		return of(txn.ShardID(id)), nil
	}
	if t.branches != nil {
		for _, b := range t.branches.at {
			of(b.source)
		}
	}
	for _, r := range t.seen.rising() {
		p, err := at(r.row.Key)
		if err != nil {
			return nil, err
		}
		if r.spanned {
			continue
		}
		p.Reads = append(p.Reads, txn.ReadCheck{Key: r.row.Key, Version: r.row.Version})
		if t.leases != nil {
			p.Leases = append(p.Leases, t.leases.rows[r.row.Key])
		}
	}
	for _, s := range t.spans {
		p, err := at(s.Span.Start)
		if err != nil {
			return nil, err
		}
		p.Spans = append(p.Spans, s.SpanCheck)
	}
	for _, w := range writes {
		p, err := at(w.Key)
		if err != nil {
			return nil, err
		}
		p.Writes = append(p.Writes, w)
	}
	for _, p := range out {
		if size := prepareBytes(p); size > MaxPrepareBytes {
			return nil, txn.Errorf(txn.KindTooLarge, "the transaction would send %d bytes of writes and checks to shard %d, and at most %d are allowed; split it into several", size, p.Shard, MaxPrepareBytes)
		}
	}
	return out, nil
}

// prepareBytes is the maximum size of a Prepare, in a message and in the log.
func prepareBytes(p *txn.Prepare) int {
	const readOverheadBytes, spanOverheadBytes = 48, 64 // including versions and digests
	size := 0
	for _, w := range p.Writes {
		size += writeBytes(w.Key, w.Value)
	}
	for _, r := range p.Reads {
		size += len(r.Key) + readOverheadBytes
	}
	for _, s := range p.Spans {
		size += len(s.Span.Start) + len(s.Span.End) + spanOverheadBytes
	}
	return size
}

func schemaChecksAt(guards []SchemaCheck, s txn.ShardID) []txn.ReadCheck {
	var out []txn.ReadCheck
	for _, g := range guards {
		out = append(out, txn.ReadCheck{Key: txn.Key(routing.LocalKey(uint64(s), g.Name)), Version: g.Version})
	}
	return out
}
