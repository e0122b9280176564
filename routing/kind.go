package routing

// Kind is the kind of a participant. Participants of different kinds can be in one
// cluster, and one transaction may involve several kinds.
type Kind string

// The kinds that every node can host. Other kinds are the names for which a
// node has openers.
const (
	// ByProtocol replicates as the cluster's first protocol specifies.
	ByProtocol Kind = ""
	// Logged has a log (Raft).
	Logged Kind = "logged"
	// Unordered has replicas that validate by themselves.
	Unordered Kind = "unordered"
)

// Native reports whether the participant's rows are in a node's own engine.
func (k Kind) Native() bool { return k == ByProtocol || k == Logged || k == Unordered }
