package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"isochron/node"
	"isochron/participant"
	"isochron/protocol"
	"isochron/routing"
	"isochron/server/memory"
	"isochron/server/peer"
	"isochron/txn"
)

// Report is a node's status. Its JSON is also the wire format.
type Report struct {
	Node           txn.NodeID      `json:"node"`
	Region         string          `json:"region"`
	Cluster        string          `json:"cluster"`
	Build          *Build          `json:"build,omitempty"`     // nil: an earlier version
	Protocols      []string        `json:"protocols,omitempty"` // it supports; none: an earlier version
	Protocol       string          `json:"protocol"`            // in force at this node
	Ready          bool            `json:"ready"`               // it knows a leader of every shard
	UptimeSeconds  float64         `json:"uptime_s"`
	Transactions   int             `json:"open_transactions"`      // of this gateway
	Commitments    int             `json:"unfinished_commitments"` // of this gateway
	Shards         []ShardReport   `json:"shards"`
	InDoubt        []InDoubtReport `json:"in_doubt"`
	Links          []LinkReport    `json:"links"`
	Admission      AdmissionReport `json:"admission"`
	Draining       bool            `json:"draining"`
	Settled        bool            `json:"settled"` // its replicas have the directory's desired members
	DirectoryEpoch uint64          `json:"directory_epoch"`
	Nodes          []routing.Node  `json:"nodes"` // of the cluster, as this node's directory has them
	// Change is the last or present protocol switch in this node's directory; Left is the work that keeps
	// the node from being drained for it.
	Change *routing.Protocol `json:"protocol_change,omitempty"` // nil: an earlier version
	Left   string            `json:"left_to_drain,omitempty"`
	// Removed is the text for clients of a node that has learned of its removal from the cluster.
	Removed string `json:"removed,omitempty"`
	// Stopped has the other nodes that reported why they stop and have not returned.
	Stopped []StoppedReport `json:"stopped,omitempty"`
	// Verify has this node's comparisons of replicas.
	Verify VerifyReport `json:"verify"`
	// Memory has the node's memory bound and its parts' use.
	Memory memory.Use `json:"memory"`
	// Sources has the sources with agents at this node.
	Sources []SourceReport `json:"sources,omitempty"`
	// HotRecords is the number of records with statistics at this gateway, if its protocol uses them, and
	// HotRecordsBytes is their memory.
	HotRecords      int `json:"hot_records,omitempty"`
	HotRecordsBytes int `json:"hot_records_bytes,omitempty"`
	// WarmRecords is the number of records whose update rate this gateway tracks, if its protocol reads by
	// temperature. WarmThreshold is the number of updates expected in a round trip to a record's leader
	// above which the record is read there.
	WarmRecords   int     `json:"warm_records,omitempty"`
	WarmThreshold float64 `json:"warm_threshold,omitempty"`
	// TimerStats counts the polls of the node's timers.
	TimerStats node.TimerStats `json:"-"`
}

// AdmissionReport sums the admission state of this gateway's classes that have lost conflicts recently; see
// yield.Admission.
type AdmissionReport struct {
	Window  int `json:"window"` // bound of the admitted tries of bounded classes
	Running int `json:"inside"`
	Queue   int `json:"queue"` // tries that wait for admission
}

// ShardReport is the status of one replica.
type ShardReport struct {
	Shard     txn.ShardID        `json:"shard"`
	Kind      routing.Kind       `json:"kind"`
	Role      string             `json:"role"`
	Serving   bool               `json:"serving"`
	Term      uint64             `json:"term"`
	Leader    txn.NodeID         `json:"leader"`
	Applied   uint64             `json:"applied"`
	Last      uint64             `json:"last"`
	Undecided int                `json:"undecided"`
	Holders   int                `json:"lock_holders"`
	Waiters   int                `json:"lock_waiters"`
	Counts    participant.Counts `json:"-"`
	// Members in this replica's log; Outgoing ones have a vote until a change ends.
	Voters   []txn.NodeID `json:"voters"`
	Outgoing []txn.NodeID `json:"outgoing,omitempty"`
	Learners []txn.NodeID `json:"learners,omitempty"`
	Draining bool         `json:"draining,omitempty"`
	// ProtocolSeq is the number of the protocol switch it is under, 0: the protocol the cluster began with.
	ProtocolSeq uint64                   `json:"protocol_seq,omitempty"`
	Source      participant.SourceCounts `json:"-"`
}

// InDoubtReport is a replica's vote without a decision.
type InDoubtReport struct {
	Shard        txn.ShardID   `json:"shard"`
	Txn          string        `json:"txn"`
	Attempt      string        `json:"attempt"`
	Participants []txn.ShardID `json:"participants"`
	AgeMS        float64       `json:"age_ms"` // since this replica learned of it
}

// inDoubtMax bounds the votes without a decision listed of one replica: its oldest.
const inDoubtMax = 20

// LinkReport is the status of the connection to one peer.
type LinkReport struct {
	Peer    txn.NodeID `json:"peer"`
	Address string     `json:"address"`
	Up      bool       `json:"up"`
	RTTMS   float64    `json:"rtt_ms"` // the latest measured, with the added delay; 0: none yet
	// AverageMS is a moving average: each new round trip weighs a fifth. P95MS is of the last minute.
	AverageMS float64 `json:"rtt_average_ms"`
	P95MS     float64 `json:"rtt_p95_ms"`
	// OneWayP95MS is of the way to the peer plus the difference of the wall clocks: negative if the peer's
	// is behind. 0: none yet, or the peer is of an earlier version.
	OneWayP95MS float64 `json:"one_way_p95_ms"`
	Error       string  `json:"error,omitempty"`
	Sent        uint64  `json:"sent"`
	Bytes       uint64  `json:"bytes"`
	Dropped     uint64  `json:"dropped"`
	CutTo       bool    `json:"cut_to,omitempty"`   // by command: no messages are sent
	CutFrom     bool    `json:"cut_from,omitempty"` // by command: no messages are received
	AddedMS     float64 `json:"added_ms"`           // delay added to messages to the peer, one way
}

// questionReport queries a Report. Later versions may have other queries.
const questionReport = "report"

// answer answers operators' queries.
func (p *Process) answer(question []byte) []byte {
	type refusal struct {
		Error string `json:"error"`
	}
	if q, ok := isRows(question); ok {
		return p.answerRows(q)
	}
	var out any = refusal{"unknown query: this node may be of another version"}
	if a, ok := p.answerLinks(question); ok {
		out = a
	} else if len(question) > 0 && question[0] == '{' {
		out = p.execute(question)
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

// Report returns the node's status; ok is false if it has stopped.
func (p *Process) Report() (r Report, ok bool) {
	build := BuildOf()
	r = Report{
		InDoubt: []InDoubtReport{},
		Node:    p.cfg.Self, Region: string(p.region), Cluster: p.cfg.Cluster,
		Build: &build, Protocols: liveProtocols(),
		UptimeSeconds: time.Since(p.begun).Seconds(), Shards: []ShardReport{}, Links: []LinkReport{},
	}
	v, ok := look(p.runner)
	if !ok {
		return Report{}, false
	}
	r.Ready, r.Transactions, r.Commitments = v.ready, v.transactions, v.commitments
	for _, a := range v.admission {
		r.Admission.Window += a.Window
		r.Admission.Running += a.Running
		r.Admission.Queue += a.Queue
	}
	r.Draining, r.Settled, r.DirectoryEpoch, r.Nodes = v.draining, v.settled, v.directory.Epoch, v.directory.Nodes
	r.TimerStats, r.HotRecords, r.HotRecordsBytes = v.timerStats, v.hotRecords, v.hotBytes
	r.WarmRecords, r.WarmThreshold = v.warmRecords, float64(v.warmThreshold)/1e6
	r.Protocol, r.Change, r.Left = v.spec.Name, &v.change.Protocol, v.change.Left
	for _, d := range v.inDoubt {
		ms := float64(d.Age.Microseconds()) / 1000
		r.InDoubt = append(r.InDoubt, InDoubtReport{d.Shard, d.Txn.String(), d.Attempt.String(), d.Participants, ms})
	}
	for _, s := range v.statuses {
		s.Role = strings.ToLower(strings.TrimPrefix(s.Role, "State")) // raft's name of the state
		r.Shards = append(r.Shards, ShardReport(s))
	}
	r.Sources = p.runner.agents.reports(v.statuses, time.Now())
	r.Links = p.linkReports()
	r.Removed, r.Stopped = p.Removed(), p.lastWords.reports(r.Links)
	r.Verify = p.verified.report()
	r.Memory = p.use(v.rows, v.logs)
	return r, true
}

// lookWait bounds how long a node's loop may take to return its view.
const lookWait = 3 * time.Second

// view is the status of a node's loop.
type view struct {
	ready                     bool
	transactions, commitments int
	draining, settled         bool
	directory                 *routing.Directory
	statuses                  []participant.Status
	inDoubt                   []participant.InDoubt
	spec                      protocol.Spec
	change                    node.Switch
	timerStats                node.TimerStats
	admission                 []txn.AdmissionClass
	hotRecords, hotBytes      int
	warmRecords               int
	warmThreshold             int64 // in millionths
	rows, logs                int64 // bytes of memory of the replicas
}

// look queries a node's loop; ok is false if it has stopped or is too busy.
func look(r *runner) (view, bool) {
	answer := make(chan view, 1)
	asked := r.box.put(input{call: func(n *node.Node) {
		v := view{ready: n.ShardsReady(), statuses: n.Statuses(), inDoubt: n.InDoubt(inDoubtMax), spec: n.Spec(), change: n.Switch(), admission: n.Admission(), timerStats: n.TimerStats()}
		v.draining, v.settled, v.directory = n.Draining(), n.Converged(), n.Directory()
		v.transactions, v.commitments, _, _ = n.Pending()
		v.rows, v.logs = n.Holds()
		v.hotRecords, v.hotBytes = n.HotRecords()
		v.warmRecords, v.warmThreshold = n.Temperatures()
		answer <- v
	}})
	if !asked {
		return view{}, false
	}
	select {
	case v := <-answer:
		return v, true
	case <-r.ended:
	case <-time.After(lookWait):
	}
	return view{}, false
}

// AskReport queries a node's report.
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
		return Report{}, fmt.Errorf("the reply cannot be decoded: %w", err)
	}
	if answer.Error != "" {
		return Report{}, errors.New(answer.Error)
	}
	return answer.Report, nil
}
