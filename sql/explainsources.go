package sql

import (
	"errors"
	"fmt"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/catalog"
	"isochron/sql/foreign"
	"isochron/txn"
)

// explainAtSources tells what a statement would send to sources; none: it names no table there.
// whole says that nothing else is to be told.
func (h *handler) explainAtSources(ctx *gms.Context, s *Session, text string) (steps []step, whole bool, err error) {
	snap, err := s.Catalogue(ctx)
	if err != nil || len(snap.Foreign) == 0 {
		return nil, false, nil
	}
	st, err := foreign.Read(text, foreignLookup(snap, s.GetCurrentDatabase()), s.dialectOptions())
	if err != nil && !foreign.Mentions(text, snap) || st == nil && err == nil {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if err := mayDoAtSources(s, st); err != nil {
		return nil, false, err
	}
	if st.Placeholders() > 0 {
		return nil, false, mysql.NewSQLError(codeInvalidRequest, "42000", "EXPLAIN of a statement with placeholders: write their values out")
	}
	plan, err := planAtSources(s, st, nil, 0)
	if err == nil && plan.Skipping != nil {
		look, err := plan.Skipping.Next()
		return append(sentSteps(st.Tables(), look, "look"), step{what: "all", rounds: "2", access: plan.Explain()}), true, err
	}
	if err == nil {
		return append(sentSteps(st.Tables(), plan.Statements, strings.ToLower(string(st.Kind))), step{what: "all", rounds: "1", access: plan.Explain()}), true, nil
	}
	if !errors.Is(err, foreign.ErrEngine) {
		return nil, false, err
	}
	narrow := st
	if !st.Plain(isTable(snap, s.GetCurrentDatabase())) {
		narrow = nil
	}
	for _, t := range st.Tables() {
		scan, err := foreign.NewScanning(t, narrow, nil, foreign.Now{Share: locksReads(s)}, "")
		if err != nil {
			return nil, false, err
		}
		plan, err := scan.Page()
		if err != nil {
			return nil, false, err
		}
		steps = append(steps, sentSteps([]*catalog.ForeignTable{t}, plan.Statements, "read")...)
	}
	return steps, false, nil
}

// sentSteps are a line for each statement that is sent.
func sentSteps(tables []*catalog.ForeignTable, statements []txn.SourceStatement, what string) (out []step) {
	var names []string
	at := map[uint64]string{}
	for _, t := range tables {
		names = append(names, t.Name)
		for _, p := range t.Parts {
			at[p.Source] = p.Name
		}
	}
	for _, st := range statements {
		out = append(out, step{what: what + " at " + at[uint64(st.Source)], table: strings.Join(names, ","), access: cut(st.Text, messageMax), rounds: "1", shards: []uint64{uint64(st.Source)}})
	}
	return out
}

var inDoubtColumns = []gms.Column{textColumn("source"), textColumn("branch"), textColumn("age_seconds"), textColumn("why"), textColumn("gateway"), textColumn("transaction_id")}

// inDoubt lists what is prepared at sources and has not ended.
func (d systemDB) inDoubt(ctx *gms.Context) ([]gms.Row, error) {
	known, ok := d.g.db.(txn.SourceCatalogue)
	if !ok {
		return nil, nil
	}
	list, err := known.InDoubt(ctx)
	if err != nil && len(list) == 0 {
		return nil, err
	}
	var rows []gms.Row
	for _, b := range list {
		id := ""
		if !b.Txn.IsZero() {
			id = b.Txn.String()
		}
		rows = append(rows, gms.Row{b.Source, b.Name, fmt.Sprintf("%.3f", b.Age().Seconds()), b.Reason, fmt.Sprint(b.Gateway), id})
	}
	if err != nil {
		ctx.Warn(codeUnavailable, "not all sources have answered: %v", err)
	}
	return rows, nil
}

// resolve ends a branch that is in doubt, as the log of decisions says.
func (a *tableImport) resolve(args []string) ([]*catalog.Foreign, error) {
	known, ok := a.s.gateway.db.(txn.SourceCatalogue)
	if !ok {
		return nil, mysql.NewSQLError(codeInvalidRequest, "42000", "this gateway knows no sources")
	}
	return nil, known.ResolveInDoubt(a.ctx, args[0])
}
