package sim

import (
	"context"
	"slices"

	"isochron/source"
)

// Waits implements source.Waiting, for a PostgreSQL that reports its waits.
func (d *dbDriver) Waits(ctx context.Context, of []source.Name) (list []source.Wait, known bool, err error) {
	if d.db.dialect != source.Postgres || !d.db.w.cfg.Databases.ReportWaits {
		return nil, false, nil
	}
	if !d.call(ctx, func(reply func()) { list = d.db.waitsOf(of); reply() }) {
		return nil, false, dbGone()
	}
	return list, true, nil
}

// waitsOf lists the waits of these transactions for transactions with a name of this cluster, in
// the order of their begin.
func (d *database) waitsOf(of []source.Name) (list []source.Wait) {
	for _, x := range d.open {
		n, ok := source.ParseName(x.name)
		if !ok || x.wait == nil || !slices.ContainsFunc(of, func(o source.Name) bool { return o.Attempt == n.Attempt }) {
			continue
		}
		for _, o := range x.wait.ahead() {
			if on, ok := source.ParseName(o.name); ok {
				list = append(list, source.Wait{Name: n, For: on})
			}
		}
	}
	return list
}
