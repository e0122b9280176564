package replica

import (
	"strings"
	"testing"

	"isochron/store"
	"isochron/txn"
)

// full is the disk of a replica with one record of each kind.
func full(t *testing.T) *store.Mem {
	n := newNet(t, tapir, 3)
	x, y := prepare(5, 10, "w:a"), prepare(7, 20, "w:b")
	n.sendAll(txn.Message{Prepare: x})
	n.sendAll(decision(x, true, false))
	y.Retired = 3
	n.sendAll(txn.Message{Prepare: y})
	return n.at[2].engine
}

func TestADamagedRecordIsRefused(t *testing.T) {
	committed := txn.DecidedEntry{Attempt: attempt(5), Result: txn.OutcomeCommitted}
	for _, c := range []struct {
		name    string
		key     []byte
		with    []byte // nil: its end is missing
		message string
	}{
		{"meta", shardKey(shard, 'm'), nil, "the record of its view is damaged"},
		{"another format", shardKey(shard, 'm'), txn.Encode(meta{Version: 9}), "its data is of format 9"},
		{"views", shardKey(shard, 'm'), txn.Encode(meta{Version: 1, View: 1, Normal: 2}), "active in view 2"},
		{"entry", attemptKey(shard, 'p', attempt(7)), nil, "the record of an undecided attempt is damaged"},
		{"ending", attemptKey(shard, 'o', attempt(5)), nil, "the record of a decided attempt is damaged"},
		{"ending without its writes", attemptKey(shard, 'o', attempt(5)), txn.Encode(committed), "a9.1.5 is committed, but its writes are missing"},
		{"mark", attemptKey(shard, 'w', txn.Attempt{Node: coordinator, Epoch: 1}), nil, "the record of retired attempts is damaged"},
	} {
		disk := full(t)
		raw, there := disk.Get(c.key)
		if !there {
			t.Fatalf("%s: the disk has none", c.name)
		}
		if c.with == nil {
			c.with = raw[:len(raw)-1]
		}
		var b store.Batch
		b.Set(c.key, c.with)
		disk.Apply(&b)
		_, _, err := openRecord(shard, disk, nil)
		if err == nil || !strings.Contains(err.Error(), "shard 2: ") || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, fresh, err := openRecord(shard, full(t), nil); err != nil || fresh {
		t.Errorf("the whole record: %v, fresh is %v", err, fresh)
	}
	if !Recorded(full(t), shard, attempt(7)) || !Recorded(full(t), shard, attempt(5)) || Recorded(full(t), shard, attempt(8)) {
		t.Error("the record differs from the sent vote")
	}
}

// A replica opens any disk, or returns an error that names the fault; an opened one can continue.
func FuzzOpenRecord(f *testing.F) {
	for _, kind := range []byte{'m', 'p', 'o', 'w'} {
		f.Add(kind, txn.Encode(txn.DecidedEntry{Attempt: attempt(5), Result: txn.OutcomeCommitted}))
		f.Add(kind, txn.Encode(txn.Entry{Prepare: *prepare(5, 10, "w:a", "r:b"), Result: txn.ValidationOK}))
	}
	f.Fuzz(func(t *testing.T, kind byte, value []byte) {
		disk := full(t)
		var b store.Batch
		key := shardKey(shard, kind)
		if kind != 'm' {
			key = attemptKey(shard, kind, attempt(99))
		}
		b.Set(key, value)
		disk.Apply(&b)
		n := newNet(t, tapir, 3)
		n.at[1].engine = disk
		r, err := Open(Config{ID: shard, Self: 1, Members: n.members, Engine: disk, Spec: n.spec, Params: n.params, Env: n.at[1]})
		if err != nil {
			return
		}
		n.at[1].r = r
		n.sendAll(txn.Message{Prepare: prepare(100, 100, "w:a", "r:b")})
		n.sendAll(inquire(prepare(101, 110, "w:a")))
		n.pass(4 * resend)
	})
}
