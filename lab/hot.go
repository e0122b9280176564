package lab

import (
	"fmt"
	"time"

	"isochron/coordinator"
	"isochron/routing"
	"isochron/sim"
)

// hotRows is what is to be done about hot rows.
func (s resolved) hotRows(off bool) routing.HotRows {
	return routing.HotRows{Off: off, Waiters: s.HotWaiters, GroupSize: s.GroupSize}
}

// startSwitch has an operator switch hot rows on, and have larger groups, when it is time.
func (r *run) startSwitch() {
	hot := r.spec.hotRows(false)
	r.order(r.spec.HotFrom, hot)
	hot.GroupSize = r.spec.GrowTo
	r.order(r.spec.GrowFrom, hot)
}

// order has an operator say, so long after the measuring began, what is to be done about hot rows; at 0
// he says nothing.
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
			r.failed = fmt.Errorf("what is done about hot rows could not be changed: %w", err)
		}
	})
}
