package sql

import (
	"fmt"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/txn"
)

var sourcesColumns = []gms.Column{textColumn("source"), textColumn("dialect"), textColumn("version"), textColumn("region"), textColumn("prepared_max"), textColumn("tables"), textColumn("note")}

// sources lists the external databases.
func (d systemDB) sources(ctx *gms.Context) ([]gms.Row, error) {
	known, ok := d.g.db.(txn.SourceCatalogue)
	if !ok {
		return nil, nil
	}
	snap, err := snapshotOf(ctx)
	if err != nil {
		return nil, err
	}
	tables := map[uint64]int{}
	for _, t := range snap.Foreign { // order: into a map
		for _, p := range t.Parts {
			tables[p.Source]++
		}
	}
	var rows []gms.Row
	for _, e := range known.Sources() {
		row := gms.Row{e.Name, e.Dialect, "", string(e.Region), "", fmt.Sprint(tables[uint64(e.ID)]), ""}
		switch schema, err := known.DescribeSource(ctx, e.ID); {
		case err != nil:
			row[6] = err.Error()
		default:
			row[2], row[4] = schema.Version, boundOfPrepared(schema.PreparedMax)
			if len(schema.Warnings) > 0 {
				row[6] = schema.Warnings[0]
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func boundOfPrepared(n int) string {
	if n < 0 {
		return "no bound is known"
	}
	return fmt.Sprint(n)
}
