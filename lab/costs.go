package lab

import "time"

// What the machines of an experiment cost, unless a Spec says otherwise.
const (
	// MessageCPU is what one message costs the node that takes it.
	MessageCPU = 20 * time.Microsecond
	// Fsync is an assumption: one write made durable on the network-attached solid
	// state disk of a cloud.
	Fsync = time.Millisecond
	// Cores of a node: those of the machines of the D2PC paper's section 5.1.
	Cores = 4
)

// costSource says where the costs of an experiment come from.
const costSource = "defaults: cpu measured by our benchmarks, fsync assumed of a cloud's disk"
