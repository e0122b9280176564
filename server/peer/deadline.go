package peer

import "time"

// deadline is one that is moved before each of many calls, each of which may take at least so long
// and at most a tenth more: to move it costs more than a short call.
type deadline struct{ at time.Time }

func (d *deadline) after(wait time.Duration, set func(time.Time) error) error {
	now := time.Now()
	if d.at.Sub(now) >= wait {
		return nil
	}
	d.at = now.Add(wait + wait/10)
	return set(d.at)
}
