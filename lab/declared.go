package lab

import (
	"context"

	"isochron/sim"
	"isochron/txn"
)

// priority draws that of the next transaction, and names it as a class of its own.
func (r *run) priority(c *sim.Client, opt *txn.Options) string {
	if r.spec.High > 0 && c.Rand().Float64() < r.spec.High {
		opt.Priority = txn.PriorityHigh
	}
	return opt.Priority.String() + " priority"
}

// declare runs a whole transaction, which is one request of its client.
func (k *tracked) declare(ctx context.Context, d txn.Declaration) error {
	for _, key := range d.Reads {
		k.touch(key)
	}
	for _, key := range d.Writes {
		k.touch(key)
	}
	then := d.Then
	d.Then = func(values [][]byte) ([]txn.Write, bool) {
		for i, v := range values {
			values[i] = k.saw(d.Reads[i], v)
		}
		writes, ok := then(values)
		for i, w := range writes {
			writes[i].Value = k.stamps(w.Key, w.Value)
		}
		return writes, ok
	}
	k.declared = true
	k.sends()
	_, err := k.Txn.(txn.Declarer).Declare(ctx, d)
	k.owed = false
	k.travel()
	return err
}
