package deploy

import (
	"fmt"
	"time"

	"isochron/txn"
)

// electionMost bounds an election timeout: a shard may be without a leader for that long.
const electionMost = time.Minute

// checkElections parses the election timeout. It must not be below the map's value: a follower that receives its
// leader's heartbeats on time must not start an election.
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

// Params returns the parameters set by the configuration; the rest follows from the map. The heartbeat interval does
// not depend on the election timeout.
func (c *Config) Params() (p txn.Params) {
	if c.election != 0 {
		p.HeartbeatInterval, p.ElectionTimeout = p.WithDefaultsFor(c.wan.Widest()).HeartbeatInterval, c.election
	}
	return p
}
