package main

import (
	"testing"

	"isochron/server"
	"isochron/server/memory"
	"isochron/txn"
)

// What replicas say is joined: a leader of an older term is none, and lag is
// counted from the foremost replica.
func TestStatusText(t *testing.T) {
	nodes := []nodeStatus{
		{Node: 1, Region: "va", Address: "a:1", Up: true, Report: &server.Report{Ready: true, Build: &server.Build{Version: "devel", Revision: "0123456789abcdef", Modified: true},
			Memory:  memory.Use{Setting: 2 << 30, Resident: 300 << 20, Parts: []memory.PartUse{{Part: "a", Holds: 1 << 20, Share: 2 << 20}, {Part: "b", Share: 9}, {Part: "c", Holds: 3 << 20, Share: 4 << 20}, {Part: "d", Holds: 2000, Share: 3000}}},
			Shards:  []server.ShardReport{{Shard: 1, Serving: true, Term: 3, Leader: 1, Applied: 7, Holders: 9}, {Shard: 2, Term: 1, Applied: 5, Undecided: 2}},
			InDoubt: []server.InDoubtReport{{Shard: 2, Txn: "t3.1.9", Participants: []txn.ShardID{1, 2}, AgeMS: 12000}, {Shard: 1, Txn: "t3.1.9", Participants: []txn.ShardID{1, 2}, AgeMS: 11000}},
			Links:   []server.LinkReport{{Peer: 2, Up: true, RTTMS: 67.04, AddedMS: 66}, {Peer: 3}, {Peer: 4, Up: true}}}},
		{Node: 2, Region: "wa", Address: "b:1", Up: true, Report: &server.Report{
			Shards: []server.ShardReport{{Shard: 1, Term: 4, Leader: 0, Applied: 9}, {Shard: 2, Serving: true, Term: 1, Leader: 2, Applied: 5, Holders: 1}}}},
		{Node: 3, Region: "pr", Address: "c:1", Error: "connection refused"},
	}
	got := statusText(clusterStatus{Cluster: "aa", Protocol: "p", Nodes: nodes, Shards: joinShards(nodes), InDoubt: joinInDoubt(nodes)})
	want := `cluster aa, protocol p: 2 of 3 nodes up
the nodes run 2 versions: devel 0123456789ab with changes, older

node  region  state      address  open  unfinished  version
1     va      up         a:1      0     0           devel 0123456789ab with changes
2     wa      not ready  b:1      0     0           older
3     pr      DOWN       c:1      connection refused

node  memory   of       held most of, of its share (--json has all)
1     300 MiB  2.0 GiB  c 3 MiB of 4 MiB, a 1 MiB of 2 MiB, d 2 KiB of 3 KiB

round trips in ms, from node: to node (added on the way there)
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
