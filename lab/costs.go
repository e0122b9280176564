package lab

import "time"

// What the machines of an experiment cost, unless a Spec says otherwise.
const (
	// MessageCPU is what one message costs the node that takes it: reading its wire
	// form, the work of the node (storage in memory), writing the wire form of what
	// it sends. BenchmarkMessage of package sim measures it, on retwis with 150
	// clients and one processor of 2.5 GHz, as the mean over all messages: 21.5 us
	// on 2pc+occ (a Prepare 35, an Access 25, a message of Raft 19, a Vote 17), 19.6
	// on d2pc+occ. Sockets, encryption and a disk's engine are not in it.
	MessageCPU = 20 * time.Microsecond
	// Fsync is an assumption: one write made durable on the network-attached solid
	// state disk of a cloud.
	Fsync = time.Millisecond
	// Cores of a node: those of the machines of the D2PC paper's section 5.1.
	Cores = 4
)

// costSource says, beside the costs of an experiment, where they come from.
func (s Spec) costSource() string {
	return "cpu " + source(s.CPU, MessageCPU, "measured: BenchmarkMessage") + "; fsync " + source(s.Fsync, Fsync, "assumed: a cloud's disk")
}

// source tells where a cost comes from that is the usual one, or the half or the
// double of it, as figures have it.
func source(cost, usual time.Duration, from string) string {
	switch cost {
	case usual:
		return from
	case usual / 2:
		return "half of what is " + from
	case 2 * usual:
		return "twice what is " + from
	}
	return "as asked for"
}
