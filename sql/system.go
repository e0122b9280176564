package sql

import (
	"fmt"
	"slices"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/catalog"
)

// systemDatabase holds tables that show where things are, and what waits.
const systemDatabase = "isochron"

var (
	placementColumns = []gms.Column{textColumn("table_schema"), textColumn("table_name"), textColumn("leader_region"), textColumn("replica_regions"),
		textColumn("partitioning"), textColumn("partition_columns"), textColumn("shards")}
	shardsColumns = []gms.Column{textColumn("shard_id"), textColumn("leader_region"), textColumn("replica_regions"), textColumn("ranges"), textColumn("tables")}
)

// systemDB is that database.
type systemDB struct{ g *gateway }

var (
	_ gms.ReadOnlyDatabase = systemDB{}
	_ gms.ViewDatabase     = systemDB{}
	_ gms.TriggerDatabase  = systemDB{}

	_ gms.StoredProcedureDatabase = systemDB{}
)

// Name implements gms.Nameable.
func (systemDB) Name() string { return systemDatabase }

// IsReadOnly implements gms.ReadOnlyDatabase.
func (systemDB) IsReadOnly() bool { return true }

// GetTableNames implements gms.Database.
func (systemDB) GetTableNames(*gms.Context) ([]string, error) {
	return []string{"admission", "hot_rows", "in_doubt", "lock_waits", "placement", "rollbacks", "shards", "sources", "transactions"}, nil
}

// GetTableInsensitive implements gms.Database.
func (d systemDB) GetTableInsensitive(_ *gms.Context, name string) (gms.Table, bool, error) {
	switch name = strings.ToLower(name); name {
	case "placement":
		return newSystemTable(name, d.placement, placementColumns), true, nil
	case "shards":
		return newSystemTable(name, d.shards, shardsColumns), true, nil
	case "admission":
		return newSystemTable(name, d.admission, admissionColumns), true, nil
	case "hot_rows":
		return newSystemTable(name, d.hotRows, hotRowsColumns), true, nil
	case "in_doubt":
		return newSystemTable(name, d.inDoubt, inDoubtColumns), true, nil
	case "sources":
		return newSystemTable(name, d.sources, sourcesColumns), true, nil
	case "lock_waits":
		return newSystemTable(name, d.lockWaits, lockWaitsColumns), true, nil
	case "transactions":
		return newSystemTable(name, d.transactions, transactionsColumns), true, nil
	case "rollbacks":
		return newSystemTable(name, d.rollbacks, rollbacksColumns), true, nil
	}
	return nil, false, nil
}

func errSystem() error { return fmt.Errorf("database %s is read-only", systemDatabase) }

// CreateView implements gms.ViewDatabase.
func (systemDB) CreateView(*gms.Context, string, string, string) error { return errSystem() }

// DropView implements gms.ViewDatabase.
func (systemDB) DropView(*gms.Context, string) error { return errSystem() }

// GetViewDefinition implements gms.ViewDatabase.
func (systemDB) GetViewDefinition(*gms.Context, string) (gms.ViewDefinition, bool, error) {
	return gms.ViewDefinition{}, false, nil
}

// AllViews implements gms.ViewDatabase.
func (systemDB) AllViews(*gms.Context) ([]gms.ViewDefinition, error) { return nil, nil }

// GetTriggers implements gms.TriggerDatabase.
func (systemDB) GetTriggers(*gms.Context) ([]gms.TriggerDefinition, error) { return nil, nil }

// CreateTrigger implements gms.TriggerDatabase.
func (systemDB) CreateTrigger(*gms.Context, gms.TriggerDefinition) error { return errSystem() }

// DropTrigger implements gms.TriggerDatabase.
func (systemDB) DropTrigger(_ *gms.Context, name string) error {
	return gms.ErrTriggerDoesNotExist.New(name)
}

// GetStoredProcedures implements gms.StoredProcedureDatabase.
func (systemDB) GetStoredProcedures(*gms.Context) ([]gms.StoredProcedureDetails, error) {
	return nil, nil
}

// GetStoredProcedure implements gms.StoredProcedureDatabase.
func (systemDB) GetStoredProcedure(*gms.Context, string) (gms.StoredProcedureDetails, bool, error) {
	return gms.StoredProcedureDetails{}, false, errProcedureElsewhere
}

// SaveStoredProcedure implements gms.StoredProcedureDatabase.
func (systemDB) SaveStoredProcedure(*gms.Context, gms.StoredProcedureDetails) error {
	return errSystem()
}

// DropStoredProcedure implements gms.StoredProcedureDatabase.
func (systemDB) DropStoredProcedure(*gms.Context, string) error { return errSystem() }

// placement lists the tables and where they live.
func (d systemDB) placement(ctx *gms.Context) ([]gms.Row, error) {
	snap, err := snapshotOf(ctx)
	if err != nil {
		return nil, err
	}
	var rows []gms.Row
	for _, t := range snap.Sorted() {
		p := t.Record.Placement
		var columns []string
		for _, pos := range t.Divides() {
			columns = append(columns, t.Schema.Schema[pos].Name)
		}
		leader := p.Leader
		if p.Spread == catalog.SpreadRegion {
			leader = "by row"
		}
		rows = append(rows, gms.Row{t.Record.Database, t.Record.Name, leader, strings.Join(p.Replicas, ","), string(p.Spread),
			strings.Join(columns, ","), joined(t.Shards(d.g.db.Directory()))})
	}
	return rows, nil
}

func joined(ids []uint64) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(ids), "[]"), " ", ",")
}

// shards lists the shards of the cluster.
func (d systemDB) shards(ctx *gms.Context) ([]gms.Row, error) {
	snap, err := snapshotOf(ctx)
	if err != nil {
		return nil, err
	}
	dir := d.g.db.Directory()
	var rows []gms.Row
	for _, s := range dir.Shards {
		var regions, tables []string
		for _, n := range s.Replicas {
			regions = append(regions, dir.RegionOf(n))
		}
		ranges := 0
		for _, r := range dir.Ranges {
			if r.Shard == s.ID {
				ranges++
			}
		}
		for _, t := range snap.Sorted() {
			if slices.Contains(t.Shards(dir), s.ID) {
				tables = append(tables, t.Record.Database+"."+t.Record.Name)
			}
		}
		rows = append(rows, gms.Row{fmt.Sprint(s.ID), s.Leader, strings.Join(regions, ","), fmt.Sprint(ranges), strings.Join(tables, ",")})
	}
	return rows, nil
}

// systemTable is a table worked out when it is read.
type systemTable struct {
	name string
	sch  gms.Schema
	rows func(*gms.Context) ([]gms.Row, error)
}

func newSystemTable(name string, rows func(*gms.Context) ([]gms.Row, error), columns []gms.Column) *systemTable {
	t := &systemTable{name: name, rows: rows}
	for _, c := range columns {
		c.Source, c.DatabaseSource = name, systemDatabase
		t.sch = append(t.sch, &c)
	}
	return t
}

// Name implements gms.Nameable.
func (t *systemTable) Name() string { return t.name }

// String implements fmt.Stringer.
func (t *systemTable) String() string { return t.name }

// Schema implements gms.Table.
func (t *systemTable) Schema(*gms.Context) gms.Schema { return t.sch }

// Collation implements gms.Table.
func (t *systemTable) Collation() gms.CollationID { return gms.Collation_Default }

type wholeTable struct{}

// Key implements gms.Partition.
func (wholeTable) Key() []byte { return []byte{0} }

// Partitions implements gms.Table.
func (t *systemTable) Partitions(*gms.Context) (gms.PartitionIter, error) {
	return gms.PartitionsToPartitionIter(wholeTable{}), nil
}

// PartitionRows implements gms.Table.
func (t *systemTable) PartitionRows(ctx *gms.Context, _ gms.Partition) (gms.RowIter, error) {
	rows, err := t.rows(ctx)
	return gms.RowsToRowIter(rows...), err
}
