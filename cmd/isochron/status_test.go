package main

import (
	"testing"

	"isochron/server"
	"isochron/txn"
)

// What replicas say is joined: a leader of an older term is none, and lag is
// counted from the foremost replica.
func TestStatusText(t *testing.T) {
	nodes := []nodeStatus{
		{Node: 1, Region: "va", Address: "a:1", Up: true, Report: &server.Report{Ready: true,
			Shards:  []server.ShardReport{{Shard: 1, Serving: true, Term: 3, Leader: 1, Applied: 7, Holders: 9}, {Shard: 2, Term: 1, Applied: 5, Undecided: 2}},
			InDoubt: []server.InDoubtReport{{Shard: 2, Txn: "t3.1.9", Participants: []txn.ShardID{1, 2}, AgeMS: 12000}, {Shard: 1, Txn: "t3.1.9", Participants: []txn.ShardID{1, 2}, AgeMS: 11000}},
			Links:   []server.LinkReport{{Peer: 2, Up: true, RTTMS: 67.04, AddedMS: 66}, {Peer: 3}, {Peer: 4, Up: true}}}},
		{Node: 2, Region: "wa", Address: "b:1", Up: true, Report: &server.Report{
			Shards: []server.ShardReport{{Shard: 1, Term: 4, Leader: 0, Applied: 9}, {Shard: 2, Serving: true, Term: 1, Leader: 2, Applied: 5, Holders: 1}}}},
		{Node: 3, Region: "pr", Address: "c:1", Error: "connection refused"},
	}
	got := statusText(clusterStatus{Cluster: "aa", Protocol: "p", Nodes: nodes, Shards: joinShards(nodes), InDoubt: joinInDoubt(nodes)})
	want := `cluster aa, protocol p: 2 of 3 nodes up

node  region  state      address  open  unfinished
1     va      up         a:1      0     0
2     wa      not ready  b:1      0     0
3     pr      DOWN       c:1      connection refused

round trips in ms, from node: to node (of it, added)
1    2: 67.0 (66.0)  3: none  4: ?

shard  leader  term  applied  undecided  lock holders  behind the foremost replica, log entries
1      NONE    4     9        0          0             1: 2  2: 0
2      node 2  1     5        2          1             1: 0  2: 0

in doubt  age, s  participants  undecided at shards
t3.1.9    12.0    1 2           1 2
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
