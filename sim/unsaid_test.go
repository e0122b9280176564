package sim

import (
	"testing"
	"time"

	"isochron/protocol"
	"isochron/txn"
)

// In a rolling upgrade nodes of the previous version send messages without a receiver. With one
// such node of three, the run is the same, byte for byte: the receiver that a message's type
// implies is the one that newer nodes send. And all messages of newer nodes have one.
func TestMessagesWithoutAReceiverAreDelivered(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"d2pc+2pl-group", "mysql", "tapir", "carousel-fast"} {
		spec, err := protocol.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		said, unsaid := runWithOldNode(t, spec, 0), runWithOldNode(t, spec, 2)
		if said != unsaid || said == 0 {
			t.Errorf("%s ran as %x, and as %x where node 2 sends messages without a receiver", name, said, unsaid)
		}
	}
}

// runWithOldNode returns the hash of a run under faults in which one node sends messages without a
// receiver.
func runWithOldNode(t *testing.T, spec protocol.Spec, older txn.NodeID) uint64 {
	h := &faultRun{cfg: FaultRunConfig{Regions: 3, Faults: AllFaults()}}
	h.open(11, spec)
	defer h.w.Close()
	if !h.w.RunUntil(quietWait, h.w.Ready) || !h.setup() {
		t.Fatal("the cluster does not start")
	}
	h.w.onSend = func(from *host, env *txn.Envelope) sendAction {
		if env.Part.For() == txn.ForUnspecified || env.Part.For()&txn.ForParticipant != 0 && env.Part.Shard() == 0 {
			t.Errorf("%s has no receiver", kindOf(&env.Msg))
		}
		if from.id == older {
			env.Part = 0
		}
		return leaves
	}
	h.startClients(h.w.Elapsed() + 3*time.Second)
	h.n.move()
	h.w.Run(3 * time.Second)
	return h.w.Hash()
}
