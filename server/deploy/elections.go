package deploy

import (
	"fmt"
	"time"

	"isochron/txn"
)

// electionMost bounds an election time-out: for so long a shard may be without a leader.
const electionMost = time.Minute

// checkElections reads the election time-out, which is at least what fits the map: a follower that hears
// its leader as often as it should must not want to lead.
func (c *Config) checkElections() error {
	if c.ElectionTimeout == "" {
		return nil
	}
	d, err := time.ParseDuration(c.ElectionTimeout)
	switch least := (txn.Params{}).WithDefaultsFor(c.wan.Widest()).ElectionTimeout; {
	case err != nil:
		return fmt.Errorf("election_timeout: %.80q is no time: write for example 6s", c.ElectionTimeout)
	case d < least || d > electionMost:
		return fmt.Errorf("election_timeout: %v; between these regions it must lie between %v, which it is without this line, and %v", d, least, electionMost)
	}
	c.election = d
	return nil
}

// Params are what the configuration says of how patient the node is; the rest follows the map. Heartbeats
// are as often as they are without a word about elections.
func (c *Config) Params() (p txn.Params) {
	if c.election != 0 {
		p.HeartbeatInterval, p.ElectionTimeout = p.WithDefaultsFor(c.wan.Widest()).HeartbeatInterval, c.election
	}
	return p
}
