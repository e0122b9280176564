package coverage

// Counts is how often each rule has bitten. A nil one counts nothing.
type Counts struct{ times [rules]uint64 }

// Hit counts one more time that a rule has refused or changed something.
func (c *Counts) Hit(r Rule) {
	if c != nil {
		c.times[r]++
	}
}

// HitIf is Bite where the condition holds. It is asked though nothing is counted: on hot
// paths only what is known anyway may be asked.
func (c *Counts) HitIf(holds bool, r Rule) {
	if c != nil && holds {
		c.times[r]++
	}
}

// On reports whether anything is counted, for conditions that cost something to find out.
func (c *Counts) On() bool { return c != nil }

// Times is how often a rule has bitten.
func (c *Counts) Times(r Rule) uint64 {
	if c == nil {
		return 0
	}
	return c.times[r]
}
