package server

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"isochron/txn"
)

// A node that stops by itself sends its reason to the others, whose status shows it: the stopped node no
// longer answers.

// StoppedReport is another node that has stopped by itself and has not returned.
type StoppedReport struct {
	Node   uint32    `json:"node"`
	Reason string    `json:"why"`
	At     time.Time `json:"at"`
}

const (
	lastWordsMax  = 2000 // bytes of a reason
	lastWordsWait = time.Second
)

// reportsOfStopped has each node's newest report.
type reportsOfStopped struct {
	mu      sync.Mutex
	byShard map[uint32]StoppedReport
}

func (w *reportsOfStopped) keep(node uint32, reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byShard == nil {
		w.byShard = map[uint32]StoppedReport{}
	}
	if len(w.byShard) >= maxMembers {
		clear(w.byShard)
	}
	w.byShard[node] = StoppedReport{node, reason[:min(len(reason), lastWordsMax)], time.Now()}
}

// maxMembers bounds the reports kept.
const maxMembers = 1000

// reports returns those of nodes that are not connected; a node that has returned is dropped.
func (w *reportsOfStopped) reports(links []LinkReport) (out []StoppedReport) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range links {
		if s, ok := w.byShard[uint32(l.Peer)]; ok && l.Up && time.Since(s.At) > 2*lastWordsWait {
			delete(w.byShard, s.Node)
		}
	}
	// order: sorted below.
	for _, s := range w.byShard {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b StoppedReport) int { return cmp.Compare(a.Node, b.Node) })
	return out
}

// reportLast sends the reason for this node's stop to the other nodes, for at most lastWordsWait.
func (p *Process) reportLast(reason error) {
	ctx, cancel := context.WithTimeout(context.Background(), lastWordsWait)
	defer cancel()
	var sending sync.WaitGroup
	for _, m := range p.otherMembers() {
		sending.Go(func() {
			_, err := SendAdmin(ctx, p.cfg.Credentials, m, AdminCommand{Do: OrderStopped, Node: uint32(p.cfg.Self), Reason: reason.Error()})
			if err != nil {
				p.cfg.Log.Debug("the reason for this node's stop could not be sent", "node", m.ID, "err", err)
			}
		})
	}
	sending.Wait()
}

// otherMembers returns the other nodes this one knows.
func (p *Process) otherMembers() (out []Member) {
	if !p.running.Load() {
		for _, m := range p.cfg.Members {
			if m.ID != p.cfg.Self {
				out = append(out, m)
			}
		}
		return out
	}
	addresses := map[txn.NodeID]string{}
	for _, m := range p.cfg.Members {
		addresses[m.ID] = m.Address
	}
	for _, n := range p.runner.directory.Load().Nodes {
		if txn.NodeID(n.ID) != p.cfg.Self {
			out = append(out, MemberOf(n, addresses))
		}
	}
	return out
}
