package coverage

// Counts has the number of hits of each rule. A nil *Counts counts nothing.
type Counts struct{ times [rules]uint64 }

// Hit counts one hit: the rule has refused or changed something.
func (c *Counts) Hit(r Rule) {
	if c != nil {
		c.times[r]++
	}
}

// HitIf counts a hit if the condition holds. The condition is evaluated even if c is nil: on hot
// paths it must cost nothing.
func (c *Counts) HitIf(holds bool, r Rule) {
	if c != nil && holds {
		c.times[r]++
	}
}

// On reports whether hits are counted, for conditions that are expensive to evaluate.
func (c *Counts) On() bool { return c != nil }

// Times returns the number of hits of a rule.
func (c *Counts) Times(r Rule) uint64 {
	if c == nil {
		return 0
	}
	return c.times[r]
}
