package catalog

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"isochron/routing"
	"isochron/txn"
)

// sequenceBlock is the number of AUTO_INCREMENT values a gateway reserves together.
const sequenceBlock = 1000

// Sequences hands out AUTO_INCREMENT values. Each gateway takes blocks in
// transactions of their own, so values are unique and rise at one gateway, but
// not over all of them, and a block that a stopped gateway held is skipped.
type Sequences struct {
	db txn.DB
	mu sync.Mutex
	by map[uint64]*sequence // by table id
}

type sequence struct {
	mu    sync.Mutex
	next  uint64 // the value to hand out next
	limit uint64 // first value beyond the block
}

func newSequences(db txn.DB) *Sequences {
	return &Sequences{db: db, by: map[uint64]*sequence{}}
}

func (s *Sequences) of(table uint64) *sequence {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.by[table]
	if q == nil {
		q = new(sequence)
		s.by[table] = q
	}
	return q
}

func sequenceKey(table uint64) txn.Key {
	return txn.Key(routing.SystemKey(fmt.Sprintf("seq/%d", table)))
}

// Next hands out a value.
func (s *Sequences) Next(ctx context.Context, table uint64) (uint64, error) {
	q := s.of(table)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next >= q.limit {
		if err := s.take(ctx, table, q, 1); err != nil {
			return 0, err
		}
	}
	q.next++
	return q.next - 1, nil
}

// Bump makes later values larger than one that a client chose.
func (s *Sequences) Bump(ctx context.Context, table, value uint64) error {
	q := s.of(table)
	q.mu.Lock()
	defer q.mu.Unlock()
	if value < q.next {
		return nil
	}
	if value+1 < q.limit {
		q.next = value + 1
		return nil
	}
	if err := s.take(ctx, table, q, value+1); err != nil {
		return err
	}
	return nil
}

// Peek is the value that Next would hand out here.
func (s *Sequences) Peek(ctx context.Context, table uint64) (uint64, error) {
	q := s.of(table)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next < q.limit {
		return q.next, nil
	}
	if table >= firstTemporary {
		return max(q.next, 1), nil
	}
	if value, _, ok := s.db.ReadLocal(sequenceKey(table)); ok && len(value) == 8 {
		return binary.BigEndian.Uint64(value), nil
	}
	return 1, nil
}

// Set makes the next value at least value, as ALTER TABLE ... AUTO_INCREMENT asks.
func (s *Sequences) Set(ctx context.Context, table, value uint64) error {
	if value <= 1 {
		return nil
	}
	return s.Bump(ctx, table, value-1)
}

// take gets the gateway a new block that starts at least at from.
func (s *Sequences) take(ctx context.Context, table uint64, q *sequence, from uint64) error {
	if table >= firstTemporary { // no other gateway has it
		q.next = max(from, q.next, 1)
		q.limit = q.next + sequenceBlock
		return nil
	}
	key := sequenceKey(table)
	var start uint64
	err := Retry(ctx, s.db, txn.Options{SystemTxn: true}, func(tx txn.Txn) error {
		res, err := tx.Read(ctx, txn.Read{Gets: []txn.Key{key}, ForWrite: true})
		if err != nil {
			return err
		}
		start = max(from, 1)
		if b := res.Values[0]; len(b) == 8 {
			start = max(start, binary.BigEndian.Uint64(b))
		}
		if start > 1<<63 {
			return txn.Errorf(txn.KindInvalidRequest, "the AUTO_INCREMENT values of the table are used up")
		}
		tx.Put(key, binary.BigEndian.AppendUint64(nil, start+sequenceBlock))
		return nil
	})
	if err == nil {
		q.next, q.limit = start, start+sequenceBlock
	}
	return err
}
