package sql

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/catalog"
	"isochron/sql/parse"
	"isochron/txn"
)

// The tables of the system database that all nodes are asked for.
var (
	hotRowsColumns = []gms.Column{
		textColumn("table_schema"), textColumn("table_name"), textColumn("index_name"), textColumn("row_key"), numberColumn("shard_id"), numberColumn("node"), textColumn("region"),
		numberColumn("queue_length"), numberColumn("group_size"), fractionColumn("updates_per_second")}
	lockWaitsColumns = []gms.Column{
		textColumn("waiting_txn"), textColumn("waiting_region"), numberColumn("waiting_connection"), textColumn("waiting_statement"), textColumn("waiting_priority"),
		textColumn("holding_txn"), textColumn("holding_region"), numberColumn("holding_connection"), textColumn("holding_statement"), textColumn("holding_priority"),
		textColumn("table_schema"), textColumn("table_name"), textColumn("index_name"), textColumn("row_key"), numberColumn("shard_id"), fractionColumn("waiting_ms")}
	admissionColumns = []gms.Column{numberColumn("node"), textColumn("region"), textColumn("table_schema"), textColumn("table_name"), textColumn("kind"),
		numberColumn("window_size"), numberColumn("running"), numberColumn("queue_length"), numberColumn("admitted"), numberColumn("queued_total"), numberColumn("refused"), numberColumn("failed_percent")}
	transactionsColumns = []gms.Column{textColumn("txn"), numberColumn("node"), textColumn("region"), numberColumn("connection"), textColumn("state"), textColumn("cause"), textColumn("commit_id"), fractionColumn("seconds")}
	rollbacksColumns    = []gms.Column{numberColumn("node"), textColumn("region"), textColumn("cause"), numberColumn("count"), numberColumn("retried")}
)

func textColumn(name string) gms.Column {
	return gms.Column{Name: name, Type: types.LongText, Nullable: true}
}
func numberColumn(name string) gms.Column {
	return gms.Column{Name: name, Type: types.Int64, Nullable: true}
}
func fractionColumn(name string) gms.Column { return gms.Column{Name: name, Type: types.Float64} }

// contention asks all nodes.
func (d systemDB) contention(ctx *gms.Context) (txn.ContentionReport, error) {
	return askedAll(ctx, d, func(s txn.ContentionQuerier) (txn.ContentionReport, error) { return s.Contention(ctx) })
}

// askedAll asks all nodes something; those that do not answer in time are named in a warning.
func askedAll[A any](ctx *gms.Context, d systemDB, ask func(A) (txn.ContentionReport, error)) (txn.ContentionReport, error) {
	privileges := d.g.engine.Analyzer.Catalog.MySQLDb.UserActivePrivilegeSet(ctx)
	if !privileges.Has(gms.PrivilegeType_Process) && !privileges.Has(gms.PrivilegeType_Super) {
		return txn.ContentionReport{}, mysql.NewSQLError(1227, "42000", "Access denied; you need (at least one of) the PROCESS privilege(s) for this operation")
	}
	asker, ok := d.g.db.(A)
	if !ok {
		return txn.ContentionReport{}, fmt.Errorf("this gateway cannot ask the nodes of its cluster")
	}
	s, err := ask(asker)
	if err != nil {
		return txn.ContentionReport{}, err
	}
	for _, n := range s.Silent {
		ctx.Session.Warn(&gms.Warning{Level: "Warning", Code: codeUnavailable, Message: fmt.Sprintf(
			"node %d (%s) has not answered within %v: what it knows is missing", n, d.region(n), txn.ContentionWait)})
	}
	return s, nil
}

func (d systemDB) region(n txn.NodeID) string { return d.g.db.Directory().RegionOf(uint32(n)) }

// locate tells what a key is; nearby, if its row is at hand.
func (d systemDB) locate(snap *catalog.Snapshot, key txn.Key) catalog.Place {
	if key == "" {
		return catalog.Place{}
	}
	value, _, _ := d.g.db.ReadLocal(key)
	return snap.Locate(key, value)
}

// hotRows lists the rows for which many wait, or that many update together.
func (d systemDB) hotRows(ctx *gms.Context) ([]gms.Row, error) {
	snap, s, err := d.look(ctx)
	if err != nil {
		return nil, err
	}
	var rows []gms.Row
	for _, n := range slices.Sorted(maps.Keys(s.Nodes)) {
		for _, h := range s.Nodes[n].Hot {
			p := d.locate(snap, h.Key)
			rows = append(rows, gms.Row{p.Database, p.Table, p.Index, p.Key, int64(h.Shard), int64(n), d.region(n),
				int64(h.Queue), int64(h.Group), float64(h.MilliUpdates) / 1000})
		}
	}
	const queue = 7
	slices.SortStableFunc(rows, func(a, b gms.Row) int { return cmp.Compare(b[queue].(int64), a[queue].(int64)) })
	return rows, nil
}

func (d systemDB) look(ctx *gms.Context) (*catalog.Snapshot, txn.ContentionReport, error) {
	s, err := d.contention(ctx)
	if err != nil {
		return nil, s, err
	}
	snap, err := snapshotOf(ctx)
	return snap, s, err
}

// lockWaits lists the requests that wait for locks, the longest waits first.
func (d systemDB) lockWaits(ctx *gms.Context) ([]gms.Row, error) {
	snap, s, err := d.look(ctx)
	if err != nil {
		return nil, err
	}
	var rows []gms.Row
	for _, n := range slices.Sorted(maps.Keys(s.Nodes)) {
		for _, w := range s.Nodes[n].Waits {
			p := d.locate(snap, w.Key)
			waiting, holding := d.g.clientOf(s, w.Txn), d.g.clientOf(s, w.Holder)
			rows = append(rows, gms.Row{
				w.Txn.String(), d.region(w.Txn.Node), waiting.connection, waiting.statement, w.Priority.String(),
				w.Holder.String(), d.region(w.Holder.Node), holding.connection, holding.statement, w.HolderPriority.String(),
				p.Database, p.Table, p.Index, p.Key, int64(w.Shard), float64(w.WaitedNanos/1000) / 1000})
		}
	}
	last := len(lockWaitsColumns) - 1
	slices.SortStableFunc(rows, func(a, b gms.Row) int { return cmp.Compare(b[last].(float64), a[last].(float64)) })
	return rows, nil
}

// admission lists the kinds of transaction of which tries have failed for each other of
// late, by the table with which they begin, the longest queues first.
func (d systemDB) admission(ctx *gms.Context) ([]gms.Row, error) {
	snap, s, err := d.look(ctx)
	if err != nil {
		return nil, err
	}
	var rows []gms.Row
	for _, n := range slices.Sorted(maps.Keys(s.Nodes)) {
		for _, a := range s.Nodes[n].Admission {
			kind := "transaction"
			if a.Once {
				kind = "single update"
			}
			var window any
			if a.Window > 0 {
				window = int64(a.Window)
			}
			database, table := snap.TableOf(a.Table)
			rows = append(rows, gms.Row{int64(n), d.region(n), database, table, kind, window, int64(a.Running), int64(a.Queue),
				int64(a.Admitted), int64(a.Delayed), int64(a.Refused), int64(a.LostPercent)})
		}
	}
	const queue = 7
	slices.SortStableFunc(rows, func(a, b gms.Row) int { return cmp.Compare(b[queue].(int64), a[queue].(int64)) })
	return rows, nil
}

// transactions lists those of clients that are open, and those that have ended within a minute.
func (d systemDB) transactions(ctx *gms.Context) ([]gms.Row, error) {
	s, err := askedAll(ctx, d, func(u txn.Users) (txn.ContentionReport, error) { return u.Known(ctx) })
	if err != nil {
		return nil, err
	}
	var rows []gms.Row
	for _, n := range slices.Sorted(maps.Keys(s.Nodes)) {
		for _, t := range s.Nodes[n].Known {
			state, cause, commit := "open", any(nil), any(nil)
			switch {
			case !t.Ended:
			case t.Committed:
				state = "committed"
			case t.OutcomeLost:
				state = "unknown"
			default:
				state, cause = "rolled back", t.Cause.String()
			}
			if !t.Commit.IsZero() {
				commit = t.Commit.String()
			}
			rows = append(rows, gms.Row{t.Txn.String(), int64(n), d.region(n), int64(t.SessionID), state, cause, commit, float64(t.AgoNanos/1e6) / 1e3})
		}
	}
	return rows, nil
}

// rollbacks counts transactions by why they were rolled back, since each node's start,
// and how many of them the gateway did again by itself.
func (d systemDB) rollbacks(ctx *gms.Context) ([]gms.Row, error) {
	s, err := d.contention(ctx)
	if err != nil {
		return nil, err
	}
	var rows []gms.Row
	for _, n := range slices.Sorted(maps.Keys(s.Nodes)) {
		var retried [txn.Causes]uint64
		copy(retried[:], s.Nodes[n].Retried) // a node of an older version tells of none
		for cause, count := range s.Nodes[n].Rollbacks {
			again := uint64(0)
			if cause < len(retried) {
				again = retried[cause]
			}
			rows = append(rows, gms.Row{int64(n), d.region(n), txn.Cause(cause).String(), int64(count), int64(again)})
		}
	}
	return rows, nil
}

// runsIt is who runs a transaction of this gateway; of others' both fields are NULL.
type runsIt struct{ connection, statement any }

// clientOf tells the connection of a transaction and what it says at present, without
// values; of one that is between two statements, what it said last.
func (g *gateway) clientOf(s txn.ContentionReport, id txn.ID) (c runsIt) {
	owner, ok := s.SessionIDs[id]
	if !ok || owner == 0 {
		return c
	}
	c.connection = int64(owner)
	if session := g.session(uint32(owner)); session != nil {
		if text := session.shownText.Load(); text != nil {
			c.statement = parse.Digest(*text)
		}
	}
	return c
}
