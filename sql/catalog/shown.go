package catalog

import "isochron/sql/coltype"

// Shown is how the values of a column are shown.
func (d *Descriptor) Shown(pos int) coltype.Shown { return d.stored[pos].Type.Shown }

// TypeText is a column's type as SHOW CREATE TABLE writes it; false: as the engine does.
func (d *Descriptor) TypeText(column string) (string, bool) {
	at := d.Record.columnNamed(column)
	if at < 0 {
		return "", false
	}
	t := d.stored[at].Type
	return t.Name, t.Shown != coltype.Shown{}
}
