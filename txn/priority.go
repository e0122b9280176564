package txn

// Priority is the client's priority of a transaction.
type Priority uint8

// The priorities, in rising order.
const (
	PriorityLow Priority = iota
	PriorityHigh
)

func (p Priority) String() string { return [...]string{"low", "high"}[min(p, PriorityHigh)] }
