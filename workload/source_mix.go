package workload

import (
	"context"
	"slices"

	"isochron/txn"
)

// sourceMix is the common part of benchmarks over external databases.
type sourceMix struct{ MixConfig }

// The classes of transactions over sources.
const (
	ClassCentral     = "centralized"
	ClassDistributed = "distributed"
)

// home draws the source of a transaction at one source, as an index in Sources.
func (m *sourceMix) home(c *Client) int {
	drawn := c.Rand.IntN(len(m.Sources))
	switch m.Central {
	case CentralFirst:
		return 0
	case CentralNear:
		return max(0, slices.Index(m.SourcesAt, c.DB.Region()))
	}
	return drawn
}

// places draws a transaction's class, and the indexes of its sources.
func (m *sourceMix) places(c *Client) (class string, at []int) {
	home := m.home(c)
	if c.Rand.IntN(1000) < m.DistributedMilli {
		return ClassDistributed, c.Rand.Perm(len(m.Sources))[:min(m.Spread, m.Length)]
	}
	return ClassCentral, []int{home}
}

// execute sends statements in packets, and marks the last.
func (*sourceMix) execute(ctx context.Context, t txn.Txn, statements []txn.SourceStatement, rounds int) error {
	for i := range rounds {
		part := statements[i*len(statements)/rounds : (i+1)*len(statements)/rounds]
		if _, err := t.(txn.Sources).Execute(ctx, part, i == rounds-1); err != nil {
			return err
		}
	}
	return nil
}
