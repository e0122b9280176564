package sourcedb

import "isochron/source"

// tables joins the rows of both dialects, in order. Columns: schema, table, name, type, whether NULL is allowed,
// whether the server numbers rows by it, why its table is unfit, whether the table has no partitions, and at a MySQL
// the collation. Keys: schema, table, key, whether it is the primary key, and a column. yes is the dialect's true.
func tables(columns, keys [][][]byte, yes string) []source.Table {
	var out []source.Table
	at := map[[2]string]int{}
	for _, row := range columns {
		v := texts(row)
		id := [2]string{v[0], v[1]}
		i, ok := at[id]
		if !ok {
			i = len(out)
			at[id] = i
			out = append(out, source.Table{Schema: v[0], Name: v[1], Unfit: v[6], Plain: v[7] == yes})
		}
		c := source.Column{Name: v[2], Type: v[3], Null: v[4] == yes, Auto: v[5] == yes}
		if len(v) > 8 {
			c.Collation = v[8]
		}
		out[i].Columns = append(out[i].Columns, c)
	}
	last := ""
	for _, row := range keys {
		v := texts(row)
		i, ok := at[[2]string{v[0], v[1]}]
		if !ok {
			continue // a table that the account may not read
		}
		t, key := &out[i], v[0]+"\x00"+v[1]+"\x00"+v[2]
		switch {
		case v[3] == yes:
			t.Key = append(t.Key, v[4])
		case key == last:
			n := len(t.Unique) - 1
			t.Unique[n] = append(t.Unique[n], v[4])
		default:
			t.Unique = append(t.Unique, []string{v[4]})
		}
		last = key
	}
	return out
}
