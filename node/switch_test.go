package node

import (
	"strings"
	"testing"

	"isochron/geo"
	"isochron/protocol"
	"isochron/routing"
	"isochron/store"
	"isochron/txn"
)

// alone is a node of a cluster of one, on an engine.
func alone(t *testing.T, engine store.Engine, p routing.Protocol) (*Node, error) {
	t.Helper()
	spec, err := protocol.ByName("2pc+2pl")
	if err != nil {
		t.Fatal(err)
	}
	wan, err := geo.Parse("uniform:1ms:1")
	if err != nil {
		t.Fatal(err)
	}
	return New(Config{ID: 1, Region: wan.Regions[0], Engine: engine, Spec: spec, Seed: 1, WAN: wan, Directory: &routing.Directory{
		Epoch: 1, Nodes: []routing.Node{{ID: 1, Region: string(wan.Regions[0])}}, Protocol: p,
		Shards: []routing.Shard{{ID: 1, Replicas: []uint32{1}, Leader: string(wan.Regions[0])}}}}, txn.Now{})
}

// A node follows its stored directory, whatever it was started with, and marks its data with that
// version, so that an older program refuses them.
func TestANodeFollowsItsDirectory(t *testing.T) {
	engine := store.NewMem()
	n, err := alone(t, engine, routing.Protocol{})
	if err != nil || n.Spec().Name != "2pc+2pl" {
		t.Fatalf("at first it runs %s, %v", n.Spec().Name, err)
	}
	format := func() byte {
		raw, _ := engine.Get(identityKey)
		return raw[3]
	}
	if format() != formatVersion {
		t.Errorf("the data are of format %d", format())
	}
	d := n.Directory().Clone()
	d.Epoch, d.Protocol = 2, routing.Protocol{Seq: 1, Name: "d2pc+occ", Try: 1}
	n.newDir = d
	n.adoptDirectory()
	for range 2 {
		if n.Spec().Name != "d2pc+occ" || format() != formatSwitched {
			t.Errorf("it runs %s, its data are of format %d", n.Spec().Name, format())
		}
		if n, err = alone(t, engine, routing.Protocol{}); err != nil {
			t.Fatal(err)
		}
	}
}

// A protocol that the program does not have stops the node with a word.
func TestANodeRefusesAProtocolThatItDoesNotHave(t *testing.T) {
	for _, name := range []string{"pigeon", "tapir"} {
		if _, err := alone(t, store.NewMem(), routing.Protocol{Seq: 1, Name: name}); err == nil || !strings.Contains(err.Error(), "does not have") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A silent node is named, unless silent nodes do not block the switch; a node that is not drained
// is named with its remaining work.
func TestNodesThatBlockASwitchAreNamed(t *testing.T) {
	n, err := alone(t, store.NewMem(), routing.Protocol{})
	if err != nil {
		t.Fatal(err)
	}
	n.dir = n.dir.Clone()
	n.dir.Nodes = append(n.dir.Nodes, routing.Node{ID: 2, Region: "wa"})
	p := routing.Protocol{To: "txsql", Try: 3, LimitMillis: 60_000}
	n.protocolSwitch.try, n.protocolSwitch.drained = 3, map[txn.NodeID]drainReport{}
	n.protocolSwitch.observe(n.now.Mono, 1, &txn.Drained{Try: 3})
	n.protocolSwitch.observe(n.now.Mono, 2, &txn.Drained{Try: 2}) // of another switch
	if silent, waits := n.protocolSwitch.undrained(n.now.Mono, p); silent != "node 2 in wa does not answer" || waits != "" {
		t.Errorf("%q, %q", silent, waits)
	}
	p.Absent = true
	if silent, waits := n.protocolSwitch.undrained(n.now.Mono, p); silent != "" || waits == "" {
		t.Errorf("it is passed over immediately: %q, %q", silent, waits)
	}
	n.now.Mono += n.protocolSwitch.silentAfter() - 1
	n.protocolSwitch.observe(n.now.Mono, 1, &txn.Drained{Try: 3})
	n.now.Mono++
	if silent, waits := n.protocolSwitch.undrained(n.now.Mono, p); silent+waits != "" {
		t.Errorf("later: %q, %q", silent, waits)
	}
	n.protocolSwitch.observe(n.now.Mono, 2, &txn.Drained{Try: 3, Left: "open transactions: 1"})
	if silent, waits := n.protocolSwitch.undrained(n.now.Mono, p); silent != "" || !strings.Contains(waits, "node 2 in wa is not drained, open transactions: 1") {
		t.Errorf("not drained: %q, %q", silent, waits)
	}
}
