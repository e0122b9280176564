package reveal

// Choice is a row's choice of when writes are revealed.
type Choice uint8

// The choices.
const (
	// OnDecision reveals a write when its leader hears the decision, before the
	// decision is logged (it is derived from logged votes and cannot change).
	OnDecision Choice = iota
)

func (c Choice) String() string { return [...]string{"on decision"}[c] }
