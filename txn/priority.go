package txn

// Priority is how much a transaction's client minds that others go first.
type Priority uint8

// The priorities, in rising order.
const (
	PriorityLow Priority = iota
	PriorityHigh
)

func (p Priority) String() string { return [...]string{"low", "high"}[min(p, PriorityHigh)] }
