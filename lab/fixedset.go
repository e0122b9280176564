package lab

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"isochron/sim"
	"isochron/txn"
)

// prioritized reports whether some transactions have high priority.
func (s Experiment) prioritized() bool { return s.High > 0 || s.HighClass != "" }

// priority draws the priority of the next transaction, or takes it from its class, and names it as
// a class of its own.
func (r *run) priority(c *sim.Client, opt *txn.Options, class string) string {
	switch {
	case r.spec.HighClass != "" && r.spec.HighClass == class, r.spec.High > 0 && c.Rand().Float64() < r.spec.High:
		opt.Priority = txn.PriorityHigh
	}
	return opt.Priority.String() + " priority"
}

// knowsHighClass checks HighClass against the classes that occurred.
func (r *run) knowsHighClass() error {
	name := r.spec.HighClass
	if name == "" || r.classes[name] != nil {
		return nil
	}
	return SpecError{fmt.Errorf("%s had no transaction of the class %q, which was to have high priority; it had those of %s",
		r.spec.Workload, name, strings.Join(slices.Sorted(maps.Keys(r.classes)), ", "))}
}

// runFixedSet runs a whole 2FI transaction, which is one request of its client.
func (k *tracked) runFixedSet(ctx context.Context, d txn.FixedSetTxn) error {
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
			writes[i].Value = k.setsArrivalTimes(w.Key, w.Value)
		}
		return writes, ok
	}
	k.fixedSet = true
	k.sends()
	_, err := k.Txn.(txn.FixedSetRunner).RunFixedSet(ctx, d)
	k.owed = false
	k.travel()
	return err
}
