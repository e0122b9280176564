package store

// Pool is memory that the replicas of one node share evenly. It belongs to
// the node's loop. nil: no pool, and each has a bound of its own.
type Pool struct {
	bytes   int64
	members int
}

// NewPool returns a pool of so many bytes.
func NewPool(bytes int64) *Pool { return &Pool{bytes: bytes, members: 1} }

// Among sets the number of members that share it.
func (p *Pool) Among(members int) {
	if p != nil {
		p.members = max(1, members)
	}
}

// Share is the bound of each member, in bytes; otherwise, if there is no pool.
func (p *Pool) Share(otherwise int64) int64 {
	if p == nil {
		return otherwise
	}
	return p.bytes / int64(p.members)
}
