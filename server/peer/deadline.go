package peer

import "time"

// deadline is a connection's deadline that is moved before many calls. Each call may take at least wait and at
// most a tenth more; moving the deadline at each would cost more than a short call.
type deadline struct{ at time.Time }

func (d *deadline) after(wait time.Duration, set func(time.Time) error) error {
	now := time.Now()
	if d.at.Sub(now) >= wait {
		return nil
	}
	d.at = now.Add(wait + wait/10)
	return set(d.at)
}
