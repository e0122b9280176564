package reveal

// Choice is a row's choice of when writes are revealed.
type Choice uint8

// The choices.
const (
	// OnDecision reveals a write when its leader hears the decision, before the
	// decision is logged (it is derived from logged votes and cannot change).
	OnDecision Choice = iota
	// OnPreCommit reveals it, and lets go of the locks, as soon as every leader
	// has voted Yes, before any of the votes is known to last; who reads it then
	// depends on its writer (D2PC section 4.3).
	OnPreCommit
)

func (c Choice) String() string { return [...]string{"on decision", "on pre-commit, tracked"}[c] }

// Early reports whether writes are revealed before they are decided.
func (c Choice) Early() bool { return c == OnPreCommit }
