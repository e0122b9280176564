package server

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"isochron/participant"
	"isochron/routing"
	"isochron/txn"
)

// SourceReport is the status of a source with an agent at this node.
type SourceReport struct {
	Name     string      `json:"name"`
	Source   txn.ShardID `json:"source"` // 0: the cluster does not know it yet
	Dialect  string      `json:"dialect"`
	Server   string      `json:"server,omitempty"` // host, port and database; never the account's secrets
	Version  string      `json:"version,omitempty"`
	Serving  bool        `json:"serving"`
	Reason   string      `json:"why,omitempty"` // why it is not reachable or not served
	Warnings []string    `json:"warnings,omitempty"`
	Hints    []string    `json:"hints,omitempty"` // settings that would improve it, with the cost of lacking them
	// PreparedMax bounds its prepared transactions; 0: it refuses them, -1: no known bound.
	PreparedMax int    `json:"prepared_max"`
	Identity    string `json:"identity,omitempty"` // of the last answer
	Known       string `json:"known,omitempty"`    // the identity known to the cluster
	Branches    int    `json:"branches"`           // that have not ended
	InDoubt     int    `json:"in_doubt"`           // prepared and not ended
	AskedAgoMS  int64  `json:"asked_ago_ms"`       // since it was last queried
	// Counts has its branches since its agent began.
	Counts participant.SourceCounts `json:"-"`
}

// reports returns the reports of a node's sources, given its participants' statuses.
func (a *agents) reports(statuses []participant.Status, now time.Time) (out []SourceReport) {
	d := a.directory.Load()
	for _, h := range a.hosted {
		f, reason, at := h.status()
		r := SourceReport{Name: h.name, Dialect: h.dialect, Server: h.server, Version: f.Version, Reason: reason, Warnings: f.Warnings, Hints: f.Hints, PreparedMax: f.PreparedMax, Identity: f.Identity}
		if !at.IsZero() {
			r.AskedAgoMS = now.Sub(at).Milliseconds()
		}
		if s, ok := d.SourceNamed(h.name); ok {
			r.Source, r.Known = txn.ShardID(s.ID), s.Source.Identity
		} else if reason == "" {
			r.Reason = "not known to the cluster yet"
		}
		if i := slices.IndexFunc(statuses, func(s participant.Status) bool { return s.Kind == routing.SourceKind && s.Shard == r.Source }); i >= 0 {
			r.Counts = statuses[i].Source
			r.Serving, r.Branches, r.InDoubt = statuses[i].Serving && reason == "", statuses[i].Holders, statuses[i].Undecided
		}
		out = append(out, r)
	}
	for _, s := range d.Shards {
		if s.Kind == routing.SourceKind && s.Source != nil && s.Holds(uint32(a.node)) && a.called(s.Source.Name) == nil {
			out = append(out, SourceReport{Name: s.Source.Name, Source: txn.ShardID(s.ID), Dialect: s.Source.Dialect, Known: s.Source.Identity, PreparedMax: -1,
				Reason: absent{s.Source.Name}.err().Error()})
		}
	}
	return out
}

// serverOf returns an address's server without the account.
func serverOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	for _, key := range []string{"socket", "host"} { // MySQL's parameter, and PostgreSQL's directory of it
		if path := u.Query().Get(key); strings.HasPrefix(path, "/") {
			return path + ":" + strings.TrimPrefix(u.Path, "/")
		}
	}
	return u.Host + u.Path
}

// SourceDoubt is a prepared branch at a source that has not ended.
type SourceDoubt struct {
	Source      string     `json:"source"`
	Name        string     `json:"name"`
	AgeMS       float64    `json:"age_ms"` // since the agent learned of it
	Reason      string     `json:"why"`
	Gateway     txn.NodeID `json:"gateway"`    // of the transaction
	RecordShard uint64     `json:"decided_at"` // the shard whose log has its decision
	Txn         string     `json:"txn,omitempty"`
}

// inDoubt lists the branches in doubt at all sources, or ends one.
func (p *Process) inDoubt(ctx context.Context, o AdminCommand) Outcome {
	db := p.DB()
	var err error
	switch {
	case o.Do == OrderInDoubt:
		var listed []txn.InDoubtBranch
		listed, err = db.(txn.SourceCatalogue).InDoubt(ctx)
		out := Outcome{InDoubt: []SourceDoubt{}}
		for _, b := range listed {
			d := SourceDoubt{Source: b.Source, Name: b.Name, AgeMS: float64(b.Age().Microseconds()) / 1000, Reason: b.Reason, Gateway: b.Gateway, RecordShard: uint64(b.RecordShard)}
			if !b.Txn.IsZero() {
				d.Txn = b.Txn.String()
			}
			out.InDoubt = append(out.InDoubt, d)
		}
		if err != nil { // the reachable agents' branches are listed all the same
			out.Error = err.Error()
		}
		return out
	case o.Force == "":
		err = db.(txn.SourceCatalogue).ResolveInDoubt(ctx, o.Name)
	case o.Force == "commit" || o.Force == "rollback":
		p.cfg.Log.Warn("an operator forces the outcome of a prepared transaction at a source", "name", o.Name, "how", o.Force)
		err = db.(txn.SourceForcer).ForceInDoubt(ctx, o.Name, o.Force == "commit")
	default:
		return Outcome{Refused: "a branch is forced to commit or to rollback"}
	}
	var reported *txn.Error
	switch {
	case err == nil:
		return Outcome{Node: uint32(p.cfg.Self)}
	case errors.As(err, &reported) && reported.Kind == txn.KindInvalidRequest:
		return Outcome{Refused: err.Error()}
	}
	return Outcome{Error: err.Error()}
}
