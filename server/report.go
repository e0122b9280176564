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

// Report is what a node says of itself. Its JSON is also what travels.
type Report struct {
	Node           txn.NodeID      `json:"node"`
	Region         string          `json:"region"`
	Cluster        string          `json:"cluster"`
	Build          *Build          `json:"build,omitempty"`     // nil: of a version that does not say
	Protocols      []string        `json:"protocols,omitempty"` // that it knows; none: of a version that does not say
	Protocol       string          `json:"protocol"`            // in force at this node
	Ready          bool            `json:"ready"`               // knows a leader of every shard
	UptimeSeconds  float64         `json:"uptime_s"`
	Transactions   int             `json:"open_transactions"`      // of this gateway
	Commitments    int             `json:"unfinished_commitments"` // of this gateway
	Shards         []ShardReport   `json:"shards"`
	InDoubt        []InDoubtReport `json:"in_doubt"`
	Links          []LinkReport    `json:"links"`
	Admission      AdmissionReport `json:"admission"`
	Draining       bool            `json:"draining"`
	Settled        bool            `json:"settled"` // its replicas have the members that the directory wants
	DirectoryEpoch uint64          `json:"directory_epoch"`
	Nodes          []routing.Node  `json:"nodes"` // of the cluster, as this node's directory has them
	// Change is the last change of the protocol, or the one under way, as this node's
	// directory has it; Left is what keeps the node from being drained for it.
	Change *routing.Protocol `json:"protocol_change,omitempty"` // nil: its version knows of none
	Left   string            `json:"left_to_drain,omitempty"`
	// Removed says that the node has learnt that it is of the cluster no more.
	Removed string `json:"removed,omitempty"`
	// Stopped are other nodes that have said why they stop, and are not back.
	Stopped []StoppedReport `json:"stopped,omitempty"`
	// Verify is of the comparisons of replicas that this node has made.
	Verify VerifyReport `json:"verify"`
	// Memory is what the node may take, and what its parts hold of it.
	Memory memory.Use `json:"memory"`
	// Sources are those whose agents are at this node.
	Sources []SourceReport `json:"sources,omitempty"`
	// HotRecords are those of which this gateway keeps statistics, where its row goes by
	// them, and HotRecordsBytes what they take.
	HotRecords      int `json:"hot_records,omitempty"`
	HotRecordsBytes int `json:"hot_records_bytes,omitempty"`
	// WarmRecords are those of which this gateway knows how often they are updated, where its row
	// reads by that, and WarmThreshold from how many updates expected in a round trip to its leader
	// on one is read there.
	WarmRecords   int     `json:"warm_records,omitempty"`
	WarmThreshold float64 `json:"warm_threshold,omitempty"`
	// TimerStats is how often the node has looked at its timers.
	TimerStats node.TimerStats `json:"-"`
}

// AdmissionReport is of the tries that contend at this gateway: those of all kinds of
// which some have failed for others of late, see yield.Admission.
type AdmissionReport struct {
	Window  int `json:"window"` // how many may be inside, of those kinds for which that is bounded
	Running int `json:"inside"`
	Queue   int `json:"queue"` // that wait to be let in
}

// ShardReport is one replica's.
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
	// Members as this replica's log has them; Outgoing have a vote until a change ends.
	Voters   []txn.NodeID `json:"voters"`
	Outgoing []txn.NodeID `json:"outgoing,omitempty"`
	Learners []txn.NodeID `json:"learners,omitempty"`
	Draining bool         `json:"draining,omitempty"`
	// ProtocolSeq is under which change of the protocol it is, 0: what the cluster began with.
	ProtocolSeq uint64                   `json:"protocol_seq,omitempty"`
	Source      participant.SourceCounts `json:"-"`
}

// InDoubtReport is a vote of one replica whose decision has not come.
type InDoubtReport struct {
	Shard        txn.ShardID   `json:"shard"`
	Txn          string        `json:"txn"`
	Attempt      string        `json:"attempt"`
	Participants []txn.ShardID `json:"participants"`
	AgeMS        float64       `json:"age_ms"` // since this replica learnt of it
}

// inDoubtMax bounds the votes without a decision that one replica lists: its oldest.
const inDoubtMax = 20

// LinkReport is of the connection to one peer.
type LinkReport struct {
	Peer    txn.NodeID `json:"peer"`
	Address string     `json:"address"`
	Up      bool       `json:"up"`
	RTTMS   float64    `json:"rtt_ms"` // the latest measured, with what delay is added; 0: not yet
	// AverageMS forgets: each new round trip counts a fifth. P95MS is of the last minute.
	AverageMS float64 `json:"rtt_average_ms"`
	P95MS     float64 `json:"rtt_p95_ms"`
	// OneWayP95MS is of the way there, with what the wall clocks differ by: below 0 if the
	// peer's is behind. 0: none yet, or the peer is of an earlier version.
	OneWayP95MS float64 `json:"one_way_p95_ms"`
	Error       string  `json:"error,omitempty"`
	Sent        uint64  `json:"sent"`
	Bytes       uint64  `json:"bytes"`
	Dropped     uint64  `json:"dropped"`
	CutTo       bool    `json:"cut_to,omitempty"`   // by command: nothing is sent
	CutFrom     bool    `json:"cut_from,omitempty"` // by command: nothing is heard
	AddedMS     float64 `json:"added_ms"`           // the delay added to what is sent, one way
}

// questionReport asks for a Report. Other questions may come with later versions.
const questionReport = "report"

// answer answers the questions of operators.
func (p *Process) answer(question []byte) []byte {
	type refusal struct {
		Error string `json:"error"`
	}
	if q, ok := isRows(question); ok {
		return p.answerRows(q)
	}
	var out any = refusal{"this node does not know the question; is it of another version?"}
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

// Report tells how the node stands; ok is false if it has stopped.
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
		s.Role = strings.ToLower(strings.TrimPrefix(s.Role, "State")) // raft's word
		r.Shards = append(r.Shards, ShardReport(s))
	}
	r.Sources = p.runner.agents.reports(v.statuses, time.Now())
	r.Links = p.linkReports()
	r.Removed, r.Stopped = p.Removed(), p.lastWords.reports(r.Links)
	r.Verify = p.verified.report()
	r.Memory = p.use(v.rows, v.logs)
	return r, true
}

// lookWait bounds how long a node's loop may take to say how it stands.
const lookWait = 3 * time.Second

// view is what a node's loop tells of itself.
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
	rows, logs                int64 // bytes that replicas keep in memory
}

// look asks a node's loop; ok is false if it has stopped or is too busy.
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
