package lab

import (
	"fmt"
	"time"

	"isochron/coordinator"
	"isochron/routing"
	"isochron/sim"
)

// hotRows returns the configuration of hot rows.
func (s resolved) hotRows(off bool) routing.HotRows {
	return routing.HotRows{Off: off, Waiters: s.HotWaiters, GroupSize: s.GroupSize}
}

// startSwitch schedules the enabling of hot rows, and of larger groups.
func (r *run) startSwitch() {
	hot := r.spec.hotRows(false)
	r.order(r.spec.HotFrom, hot)
	hot.GroupSize = r.spec.GrowTo
	r.order(r.spec.GrowFrom, hot)
}

// order changes the configuration of hot rows at a time after the start of the measurement; at 0 it
// does nothing.
func (r *run) order(at time.Duration, hot routing.HotRows) {
	if at == 0 {
		return
	}
	r.w.Go(observed, func(c *sim.Client) {
		c.Sleep(r.spec.Warmup + at)
		_, err := coordinator.ChangeDirectory(r.ctx, c.DB(), func(d *routing.Directory) error {
			d.Hot = hot
			return nil
		})
		if err != nil {
			r.failed = fmt.Errorf("the configuration of hot rows could not be changed: %w", err)
		}
	})
}
