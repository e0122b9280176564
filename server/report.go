package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"isochron/node"
	"isochron/routing"
	"isochron/server/peer"
	"isochron/shard"
	"isochron/txn"
)

// Report is what a node says of itself. Its JSON is also what travels.
type Report struct {
	Node           txn.NodeID     `json:"node"`
	Region         string         `json:"region"`
	Cluster        string         `json:"cluster"`
	Protocol       string         `json:"protocol"`
	Ready          bool           `json:"ready"` // knows a leader of every shard
	Draining       bool           `json:"draining"`
	Settled        bool           `json:"settled"` // its replicas have the members that the directory wants
	DirectoryEpoch uint64         `json:"directory_epoch"`
	UptimeSeconds  float64        `json:"uptime_s"`
	Transactions   int            `json:"open_transactions"`      // of this gateway
	Commitments    int            `json:"unfinished_commitments"` // of this gateway
	Nodes          []routing.Node `json:"nodes"`                  // of the cluster, as this node's directory has them
	Shards         []ShardReport  `json:"shards"`
	Links          []LinkReport   `json:"links"`
}

// ShardReport is one replica's.
type ShardReport struct {
	Shard     txn.ShardID `json:"shard"`
	Role      string      `json:"role"`
	Serving   bool        `json:"serving"`
	Term      uint64      `json:"term"`
	Leader    txn.NodeID  `json:"leader"`
	Applied   uint64      `json:"applied"`
	Last      uint64      `json:"last"`
	Undecided int         `json:"undecided"`
	Holders   int         `json:"lock_holders"`
	// Members as this replica's log has them; Outgoing have a vote until a change ends.
	Voters   []txn.NodeID `json:"voters"`
	Outgoing []txn.NodeID `json:"outgoing,omitempty"`
	Learners []txn.NodeID `json:"learners,omitempty"`
	Draining bool         `json:"draining,omitempty"`
}

// LinkReport is of the connection to one peer.
type LinkReport struct {
	Peer    txn.NodeID `json:"peer"`
	Address string     `json:"address"`
	Up      bool       `json:"up"`
	RTTMS   float64    `json:"rtt_ms"` // measured, with what delay is added; 0: not yet
	Error   string     `json:"error,omitempty"`
	Sent    uint64     `json:"sent"`
	Dropped uint64     `json:"dropped"`
}

// questionReport asks for a Report. Other questions may come with later versions.
const questionReport = "report"

// answer answers the questions of operators.
func (p *Process) answer(question []byte) []byte {
	type refusal struct {
		Error string `json:"error"`
	}
	var out any = refusal{"this node does not know the question; is it of another version?"}
	if len(question) > 0 && question[0] == '{' {
		out = p.carryOut(question)
	} else if string(question) == questionReport {
		if r, ok := p.Report(); ok {
			out = r
		} else {
			out = refusal{"the node has stopped, or is too busy to answer"}
		}
	}
	b, err := json.Marshal(out)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", out, err)) // plain fields only
	}
	return b
}

// Report tells how the node stands; ok is false if it has stopped.
func (p *Process) Report() (r Report, ok bool) {
	r = Report{
		Node: p.cfg.Self, Region: string(p.region), Cluster: p.cfg.Cluster, Protocol: p.cfg.Row.Name,
		UptimeSeconds: time.Since(p.begun).Seconds(), Shards: []ShardReport{}, Links: []LinkReport{},
	}
	var standings []shard.Standing
	ok = p.runner.inLoop(func(n *node.Node) {
		r.Ready, standings = n.Ready(), n.Standings()
		r.Draining, r.Settled, r.DirectoryEpoch = n.Draining(), n.Settled(), n.Directory().Epoch
		r.Nodes = n.Directory().Nodes
		r.Transactions, r.Commitments, _, _ = n.Pending()
	})
	if !ok {
		return Report{}, false
	}
	for _, s := range standings {
		s.Role = strings.ToLower(strings.TrimPrefix(s.Role, "State")) // raft's word
		r.Shards = append(r.Shards, ShardReport(s))
	}
	for _, l := range p.peers.Links() {
		ms := float64(l.RTT.Microseconds()) / 1000
		r.Links = append(r.Links, LinkReport{l.Peer, l.Address, l.Up, ms, l.Error, l.Sent, l.Dropped})
	}
	return r, true
}

// AskReport asks a node for its report.
func AskReport(ctx context.Context, c *peer.Credentials, to Member) (Report, error) {
	b, err := peer.Ask(ctx, c, to.ID, to.Address, []byte(questionReport))
	if err != nil {
		return Report{}, err
	}
	var answer struct {
		Report
		Error string `json:"error"`
	}
	if err := json.Unmarshal(b, &answer); err != nil {
		return Report{}, fmt.Errorf("its answer cannot be read: %w", err)
	}
	if answer.Error != "" {
		return Report{}, errors.New(answer.Error)
	}
	return answer.Report, nil
}
