package main

import (
	"testing"

	"isochron/routing"
	"isochron/server"
)

// A switch is over when the leaders of all shards have switched. A source has no protocol of its
// own and is not waited for, however many changes there were.
func TestGoneOverWithSources(t *testing.T) {
	change := &routing.Protocol{Seq: 2}
	g := goingOver{inForce: "geotp", change: *change, reports: map[uint32]server.Report{
		1: {Change: change, Shards: []server.ShardReport{{Shard: 1, Serving: true, ProtocolSeq: 2}, {Shard: 3, ProtocolSeq: 1}}}, // a follower may be behind
		2: {Change: change, Shards: []server.ShardReport{{Shard: 2, Kind: routing.SourceKind, Serving: true}}},
	}}
	if !g.reached("geotp") {
		t.Error("a source is waited for")
	}
	if g.reached("ssp") {
		t.Error("another protocol is taken for the one in force")
	}
	g.reports[1].Shards[0].ProtocolSeq = 1
	if g.reached("geotp") {
		t.Error("a leader that has not gone over is not waited for")
	}
}
