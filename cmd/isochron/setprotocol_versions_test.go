package main

import (
	"encoding/json"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"isochron/geo"
	"isochron/protocol"
	"isochron/routing"
	"isochron/server"
	"isochron/server/deploy"
	"isochron/server/peer"
	"isochron/txn"
)

// answering replaces the nodes of a cluster: each answers with a report, and commands are counted.
type answering struct {
	reports [3]map[string]any
	orders  atomic.Int32
}

// start has the stand-ins listen where the cluster's configurations say.
func (a *answering) start(t *testing.T, c *testCluster) {
	t.Helper()
	for i, n := range c.about.Nodes {
		cfg, err := deploy.Read(n.Config)
		if err != nil {
			t.Fatal(err)
		}
		creds, err := credentials(cfg)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := peer.New(peer.Config{Self: cfg.Node, Cluster: cfg.Cluster, Listen: n.Peers, Peers: map[txn.NodeID]string{},
			Credentials: creds, Log: slog.New(slog.DiscardHandler), Deliver: func(txn.NodeID, []byte) {},
			Answer: func(question []byte) []byte {
				var answer any = a.reports[i]
				if question[0] == '{' {
					a.orders.Add(1)
					answer = server.Outcome{Refused: "the order came"}
				}
				b, err := json.Marshal(answer)
				if err != nil {
					t.Error(err)
				}
				return b
			}})
		if err != nil {
			t.Fatal(err)
		}
		tr.Start()
		t.Cleanup(tr.Close)
	}
}

// report is a node's, as JSON has it.
func (a *answering) report(t *testing.T, c *testCluster, i int) map[string]any {
	t.Helper()
	r := server.Report{Node: txn.NodeID(i + 1), Region: c.about.Nodes[i].Region, Protocol: protocol.Default, Ready: true,
		DirectoryEpoch: 7, Change: &routing.Protocol{}, Protocols: []string{protocol.Default, "txsql"},
		Build: &server.Build{Version: "v1.2.3", Revision: "0123456789abcdef"}}
	for k, n := range c.about.Nodes {
		r.Nodes = append(r.Nodes, routing.Node{ID: uint32(k + 1), Region: string(geo.Region(n.Region)), Address: n.Peers})
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// On a node that goes over to a protocol that it does not know the program ends: no order is given
// while there is one, and it is named.
func TestSetProtocolRefusesAnUnknownProtocol(t *testing.T) {
	c := initCluster(t)
	a := &answering{}
	for i := range a.reports {
		a.reports[i] = a.report(t, c, i)
	}
	delete(a.reports[2], "build")
	delete(a.reports[2], "protocols")
	a.start(t, c)
	config := c.about.Nodes[0].Config
	refuse := func(text string, args ...string) {
		t.Helper()
		code, out, errs := try(append([]string{"set-protocol", "--config", config, "--timeout", "20s"}, args...)...)
		if code != exitFailed || out != "" || !strings.Contains(errs, text) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit %d, %q, %q; want %q", args, code, out, errs, text)
		}
	}
	refuse("node 3 in r3 runs an older version, which does not say whether it knows txsql: the protocol stays "+protocol.Default, "txsql")
	refuse("node 3 in r3 runs an older version", "txsql", "--allow-unreachable-nodes")
	if status := order(t, "status", "--config", config); !strings.Contains(status, "the nodes run 2 versions: v1.2.3 0123456789ab, older") {
		t.Errorf("status prints\n%s", status)
	}
	a.reports[2] = a.report(t, c, 2)
	refuse("node 1 in r1 runs v1.2.3 0123456789ab, which does not know d2pc+occ; node 2 in r2", "d2pc+occ")
	if n := a.orders.Load(); n != 0 {
		t.Fatalf("%d orders were given", n)
	}
	refuse("the order came", "txsql")
}
