package lab

import "isochron/coverage"

// ruleHits are the rules of the core that have bitten, by name, and how often; nil if none was counted.
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
