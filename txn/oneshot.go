package txn

import (
	"bytes"
	"context"
	"errors"
)

// OneShot is a whole transaction in one value, for clients outside the cluster: the gateway keeps
// no state between two requests. It reads, and it writes if the rows are as expected.
type OneShot struct {
	WantReadTS    bool      `cbor:"1,keyasint,omitempty"` // asks for a read timestamp
	Directory     bool      `cbor:"2,keyasint,omitempty"` // asks for the gateway's directory
	AsOf          Timestamp `cbor:"3,keyasint,omitempty"`
	ProtectMillis int64     `cbor:"4,keyasint,omitempty"`
	Gets          []Key     `cbor:"5,keyasint,omitempty"`
	Scans         []Scan    `cbor:"6,keyasint,omitempty"`
	// Expect are rows that must have these values (nil: must not exist) for Writes to be applied.
	Expect []Pair  `cbor:"7,keyasint,omitempty"`
	Writes []Write `cbor:"8,keyasint,omitempty"`
	// Epoch is the least epoch that the gateway's directory must have.
	Epoch uint64 `cbor:"9,keyasint,omitempty"`
}

// OneShotResult answers a OneShot. Kind is 0 if it succeeded.
type OneShotResult struct {
	Kind      Kind      `cbor:"1,keyasint,omitempty"`
	Reason    string    `cbor:"2,keyasint,omitempty"`
	At        Timestamp `cbor:"3,keyasint,omitempty"`
	Directory []byte    `cbor:"4,keyasint,omitempty"` // as read by routing.Decode
	Values    [][]byte  `cbor:"5,keyasint,omitempty"`
	Pairs     [][]Pair  `cbor:"6,keyasint,omitempty"`
	More      []bool    `cbor:"7,keyasint,omitempty"`
	Region    string    `cbor:"8,keyasint,omitempty"` // of the gateway
	// Unmet: a row of Expect has another value, and nothing was written.
	Unmet bool `cbor:"9,keyasint,omitempty"`
}

// oneShotTries bounds the retries of a OneShot that lost conflicts.
const oneShotTries = 20

// errUnmet ends a transaction whose expectation failed.
var errUnmet = errors.New("a row differs from its expected value; nothing was written")

// Run runs the transaction at a gateway. A write with an unknown outcome is
// KindUnknown.
func (q *OneShot) Run(ctx context.Context, db DB) OneShotResult {
	out := OneShotResult{Region: string(db.Region())}
	if q.Directory {
		out.Directory = db.Directory().Encode()
	}
	var err error
	if have := db.Directory().Epoch; have < q.Epoch {
		err = Errorf(KindUnavailable, "the gateway has not received the newest directory of shards yet; nothing was executed")
	} else {
		err = q.run(ctx, db, &out)
	}
	if err == errUnmet {
		out.Unmet, err = true, nil
	}
	if err != nil {
		out.Kind, out.Reason = max(KindOf(err), KindAborted), err.Error()
	}
	return out
}

func (q *OneShot) run(ctx context.Context, db DB, out *OneShotResult) (err error) {
	if q.WantReadTS {
		if out.At, err = ReadPresent(ctx, db); err != nil {
			return err
		}
	}
	opt := Options{AsOf: q.AsOf, ProtectMillis: q.ProtectMillis, ReadOnly: len(q.Writes) == 0}
	for range oneShotTries {
		tx := db.Begin(opt)
		err = q.try(ctx, tx, out)
		if err == nil {
			err = tx.Commit(ctx)
		}
		if err == nil {
			return nil
		}
		tx.Rollback()
		if KindOf(err) != KindAborted || q.AsOf != 0 {
			return err
		}
		opt.RetryOf = tx
	}
	return err
}

func (q *OneShot) try(ctx context.Context, tx Txn, out *OneShotResult) error {
	if len(q.Gets)+len(q.Scans) > 0 {
		res, err := tx.Read(ctx, Read{Gets: q.Gets, Scans: q.Scans, Page: q.AsOf != 0})
		if err != nil {
			return err
		}
		out.Values, out.Pairs, out.More = res.Values, res.Pairs, res.More
	}
	if len(q.Expect) > 0 {
		r := Read{ForWrite: true}
		for _, e := range q.Expect {
			r.Gets = append(r.Gets, e.Key)
		}
		res, err := tx.Read(ctx, r)
		if err != nil {
			return err
		}
		for i, e := range q.Expect {
			if !bytes.Equal(res.Values[i], e.Value) {
				return errUnmet
			}
		}
	}
	for _, w := range q.Writes {
		if w.Value == nil {
			tx.Delete(w.Key)
		} else {
			tx.Put(w.Key, w.Value)
		}
	}
	return nil
}

// Err returns the error of r, nil if it succeeded.
func (r *OneShotResult) Err() error {
	if r.Kind == 0 {
		return nil
	}
	return &Error{Kind: r.Kind, Reason: r.Reason}
}
