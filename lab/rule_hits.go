package lab

import "isochron/coverage"

// ruleHits returns the hits of the rules of the core by name; nil if they were not counted.
func ruleHits(c *coverage.Counts) map[string]uint64 {
	if !c.On() {
		return nil
	}
	out := map[string]uint64{}
	for _, r := range coverage.All() {
		if n := c.Times(r); n > 0 {
			out[r.Name()] = n
		}
	}
	return out
}
