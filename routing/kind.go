package routing

// Kind is what a participant of the directory is. Participants of different kinds stand
// side by side in one cluster, and one transaction may span them.
type Kind string

// The kinds that every node can host. Others are told apart by the name under which a
// node has an opener for them.
const (
	// ByProtocol replicates as the row says with which the cluster began.
	ByProtocol Kind = ""
	// Logged has a log (Raft).
	Logged Kind = "logged"
	// Unordered has replicas that validate for themselves.
	Unordered Kind = "unordered"
)

// Native reports whether the participant's rows are in a node's own engine.
func (k Kind) Native() bool { return k == ByProtocol || k == Logged || k == Unordered }
