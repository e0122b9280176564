package sim

import (
	"fmt"
	"slices"
	"strings"

	"isochron/history"
	"isochron/protocol"
)

// finish checks the run.
func (h *faultRun) finish() {
	if h.cfg.Histories != nil {
		h.cfg.Histories(h.result.Seed, h.result.Protocol, &h.banking, &h.listing)
	}
	if len(h.n.volatile) > 0 {
		h.violation("not-durable", "%d times, first: %s", len(h.n.volatile), h.n.volatile[0])
	}
	if len(h.n.leases) > 0 {
		h.violation("two-leases", "%d times, first: %s", len(h.n.leases), h.n.leases[0])
	}
	if late := h.w.unanswered(); len(late) > 0 {
		h.violation("unanswered", "%d times, first: %s", len(late), late[0])
	}
	if len(h.n.broken) > 0 {
		h.violation("name-reused", "%d times, first: %s", len(h.n.broken), h.n.broken[0])
	}
	if u := h.unvalidated; u != nil && len(u.found) > 0 {
		h.violation("shown-unvalidated", "%d times, first: %s", len(u.found), u.found[0])
	}
	bank := history.CheckBank(&h.banking, h.bank.Rules())
	h.judge(bank.Violations)
	h.judge(history.CheckLists(&h.listing).Violations)
	if h.blind.Count > 0 {
		h.judge(history.CheckRegisters(&h.listing).Violations)
	}
	h.sources.judge()
	if h.w.Ready() {
		h.checkReplicas()
	}
	h.changes.count()
	counts := h.n.counts
	for _, one := range []*history.History{&h.banking, &h.listing} {
		for _, r := range one.Records {
			counts[string(r.Outcome)]++
		}
	}
	counts["lost messages"], counts["contention spans"] = h.w.net.lost, h.w.spans
	h.result.Writes = h.writes
	h.result.Counts, h.result.Hash, h.result.Virtual = counts, h.w.Hash(), h.w.Elapsed()
}

// judge adds a checker's violations, except of what the protocol does not guarantee.
func (h *faultRun) judge(found []history.Violation) {
	for _, v := range found {
		if v.StrictOnly && h.w.cfg.Spec.Isolation != protocol.StrictSerializability {
			h.n.counts["orders that real time contradicts"]++
			continue
		}
		h.result.Violations = append(h.result.Violations, v)
	}
}

// checkReplicas checks that in a quiet cluster every replica converges to the same rows.
func (h *faultRun) checkReplicas() {
	difference := ""
	agree := func() bool {
		difference = h.difference()
		return difference == ""
	}
	if !h.w.RunUntil(quietWait, agree) {
		h.violation("replicas-differ", "%v after everything else was quiet: %s\n%s", quietWait, difference, strings.Join(h.w.Summary(), "\n"))
	}
}

// difference describes one row in which two replicas differ. settled has already checked that each
// node has its desired replicas.
func (h *faultRun) difference() string {
	live := h.w.live()
	first := live[0]
	for _, key := range slices.Concat(h.bank.Keys(), h.lists.Keys(), h.blind.Keys()) {
		value, version, _ := first.node.ReadLocal(key)
		for _, o := range live[1:] {
			if v, ver, has := o.node.ReadLocal(key); has && (string(v) != string(value) || ver != version) {
				return fmt.Sprintf("n%d has %q by %v, n%d has %q by %v for %q", first.id, value, version, o.id, v, ver, string(key))
			}
		}
	}
	return ""
}
