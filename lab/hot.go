package lab

import (
	"fmt"

	"isochron/coordinator"
	"isochron/routing"
	"isochron/sim"
)

// hotRows is what is to be done about hot rows.
func (s resolved) hotRows(off bool) routing.HotRows {
	return routing.HotRows{Off: off, Waiters: s.HotWaiters, GroupSize: s.GroupSize}
}

// startSwitch has an operator switch hot rows on when it is time.
func (r *run) startSwitch() {
	if r.spec.HotFrom == 0 {
		return
	}
	r.w.Go(observed, func(c *sim.Client) {
		c.Sleep(r.spec.Warmup + r.spec.HotFrom)
		_, err := coordinator.ChangeDirectory(r.ctx, c.DB(), func(d *routing.Directory) error {
			d.Hot = r.spec.hotRows(false)
			return nil
		})
		if err != nil {
			r.failed = fmt.Errorf("hot rows could not be switched on: %w", err)
		}
	})
}
