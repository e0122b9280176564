package test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// row is a row of the table kv that the scripts work on; its id is kept with it.
type row struct{ v, grp int64 }

// state is a whole table, by id.
type state map[int64]row

// seen has the rows that a transaction's reads have returned so far, one list for each read.
type seen [][]int64

// last is the one value of the latest read; 0 if it found nothing.
func (s seen) last() int64 { return s.at(len(s) - 1) }

// at is the one value of read i; 0 if it found nothing.
func (s seen) at(i int) int64 {
	if len(s[i]) == 0 {
		return 0
	}
	return s[i][0]
}

// op is one statement: its SQL, and its effect on a table. Both may depend on the transaction's
// reads. read is nil of a statement that returns nothing to the client.
type op struct {
	sql   func(layout, seen) string // "": nothing to do
	read  func(state) []int64
	write func(state, seen)
}

// layout is the placement of the table in shards. Rows whose ids share their tens are together.
type layout struct {
	name  string
	table string
	// homed: the primary key is (region, id), and the region follows from the id's tens.
	homed bool
}

// layouts: one table is spread over shards led from one region, the other has
// its rows at home in several.
var layouts = []layout{
	{name: "ranges", table: `CREATE TABLE kv (id INT PRIMARY KEY, v INT, grp INT, KEY by_grp (grp))
		COMMENT='isochron: {"spread":"range","split":[[10],[20],[30]]}'`},
	{name: "homes", homed: true, table: `CREATE TABLE kv (region VARCHAR(8), id INT, v INT, grp INT, PRIMARY KEY (region, id), KEY by_grp (grp))
		COMMENT='isochron: {"spread":"region","column":"region"}'`},
}

// home is the region of an id.
func home(id int64) string {
	regions := []string{"'wa'", "'pr'", "'sg'", "'va'"}
	return regions[id/10%4]
}

// is names one row in a WHERE.
func (l layout) is(id int64) string {
	if l.homed {
		return fmt.Sprintf("region = %s AND id = %d", home(id), id)
	}
	return fmt.Sprintf("id = %d", id)
}

// in names several rows in a WHERE.
func (l layout) in(ids []int64) string {
	var numbers, homes []string
	for _, id := range ids {
		numbers = append(numbers, fmt.Sprint(id))
		homes = append(homes, home(id))
	}
	if l.homed {
		return fmt.Sprintf("region IN (%s) AND id IN (%s)", strings.Join(homes, ", "), strings.Join(numbers, ", "))
	}
	return fmt.Sprintf("id IN (%s)", strings.Join(numbers, ", "))
}

// insert is the INSERT of a row.
func (l layout) insert(id int64, r row) string {
	if l.homed {
		return fmt.Sprintf("INSERT INTO kv (region, id, v, grp) VALUES (%s, %d, %d, %d)", home(id), id, r.v, r.grp)
	}
	return fmt.Sprintf("INSERT INTO kv (id, v, grp) VALUES (%d, %d, %d)", id, r.v, r.grp)
}

func reading(sql func(layout) string, read func(state) []int64) op {
	return op{sql: func(l layout, _ seen) string { return sql(l) }, read: read}
}

// readingWhere selects something of the rows that a condition names.
func readingWhere(what, condition string, read func(state) []int64) op {
	return reading(func(layout) string { return "SELECT " + what + " FROM kv WHERE " + condition }, read)
}

// where collects f of the rows that satisfy keep, in the order of their ids.
func where(keep func(id int64, r row) bool, f func(id int64, r row) int64) func(state) []int64 {
	return func(s state) []int64 {
		out := []int64{}
		for _, id := range slices.Sorted(maps.Keys(s)) {
			if keep(id, s[id]) {
				out = append(out, f(id, s[id]))
			}
		}
		return out
	}
}

func value(_ int64, r row) int64  { return r.v }
func ident(id int64, _ row) int64 { return id }

func within(lo, hi int64) func(int64, row) bool {
	return func(id int64, _ row) bool { return lo <= id && id <= hi }
}

func inGroup(g int64) func(int64, row) bool {
	return func(_ int64, r row) bool { return r.grp == g }
}

func counted(rows func(state) []int64) func(state) []int64 {
	return func(s state) []int64 { return []int64{int64(len(rows(s)))} }
}

// The reads.

func get(id int64) op { return getWith(id, "") }

func getWith(id int64, suffix string) op {
	return reading(func(l layout) string { return "SELECT v FROM kv WHERE " + l.is(id) + suffix }, where(within(id, id), value))
}

func getSeveral(ids ...int64) op {
	keep := func(id int64, _ row) bool { return slices.Contains(ids, id) }
	return reading(func(l layout) string { return "SELECT v FROM kv WHERE " + l.in(ids) + " ORDER BY id" }, where(keep, value))
}

func scan(lo, hi int64) op {
	return readingWhere("id", fmt.Sprintf("id BETWEEN %d AND %d ORDER BY id", lo, hi), where(within(lo, hi), ident))
}

func byGroup(g int64) op { return byGroupWith(g, "") }

func byGroupWith(g int64, suffix string) op {
	return readingWhere("v", fmt.Sprintf("grp = %d ORDER BY id%s", g, suffix), where(inGroup(g), value))
}

func countGroup(g int64) op {
	return readingWhere("COUNT(*)", fmt.Sprintf("grp = %d", g), counted(where(inGroup(g), ident)))
}

func countAll() op {
	return reading(func(layout) string { return "SELECT COUNT(*) FROM kv" }, counted(where(func(int64, row) bool { return true }, ident)))
}

// countJoin is a shape that no round plan has: it runs in the general executor.
func countJoin(g int64) op {
	return readingWhere("COUNT(*)", fmt.Sprintf("EXISTS (SELECT 1 FROM kv b WHERE b.id = kv.id AND b.grp = %d)", g),
		counted(where(inGroup(g), ident)))
}

// The writes.

// set writes what f makes of the reads so far.
func set(id int64, f func(seen) int64) op {
	return op{
		sql:   func(l layout, s seen) string { return fmt.Sprintf("UPDATE kv SET v = %d WHERE %s", f(s), l.is(id)) },
		write: func(db state, s seen) { change(db, id, func(r *row) { r.v = f(s) }) },
	}
}

func setTo(id, v int64) op { return set(id, func(seen) int64 { return v }) }

// add lets the database do the sum.
func add(id, d int64) op {
	return op{
		sql:   func(l layout, _ seen) string { return fmt.Sprintf("UPDATE kv SET v = v + %d WHERE %s", d, l.is(id)) },
		write: func(db state, _ seen) { change(db, id, func(r *row) { r.v += d }) },
	}
}

// addGroup adds to every row of a group.
func addGroup(g, d int64) op {
	return op{
		sql: func(layout, seen) string { return fmt.Sprintf("UPDATE kv SET v = v + %d WHERE grp = %d", d, g) },
		write: func(db state, _ seen) {
			for id, r := range db {
				if r.grp == g {
					change(db, id, func(r *row) { r.v += d })
				}
			}
		},
	}
}

func move(id, g int64) op {
	return op{
		sql:   func(l layout, _ seen) string { return fmt.Sprintf("UPDATE kv SET grp = %d WHERE %s", g, l.is(id)) },
		write: func(db state, _ seen) { change(db, id, func(r *row) { r.grp = g }) },
	}
}

func insert(id, v, g int64) op {
	return op{
		sql:   func(l layout, _ seen) string { return l.insert(id, row{v, g}) },
		write: func(db state, _ seen) { db[id] = row{v, g} },
	}
}

func remove(id int64) op {
	return op{
		sql:   func(l layout, _ seen) string { return "DELETE FROM kv WHERE " + l.is(id) },
		write: func(db state, _ seen) { delete(db, id) },
	}
}

// when does the write only if the reads say so.
func when(cond func(seen) bool, o op) op {
	return op{
		sql: func(l layout, s seen) string {
			if !cond(s) {
				return ""
			}
			return o.sql(l, s)
		},
		write: func(db state, s seen) {
			if cond(s) {
				o.write(db, s)
			}
		},
	}
}

func change(db state, id int64, f func(*row)) {
	if r, ok := db[id]; ok {
		f(&r)
		db[id] = r
	}
}

// script is a transaction: its operations, then COMMIT, or ROLLBACK if undo.
type script struct {
	undo bool
	ops  []op
}

func does(ops ...op) script { return script{ops: ops} }

// steps counts the operations and the end.
func (s script) steps() int { return len(s.ops) + 1 }

// run executes the script on a table, alone, and returns its reads.
func (s script) run(db state) seen {
	var read seen
	for _, o := range s.ops {
		if o.read != nil {
			read = append(read, o.read(db))
		}
		if o.write != nil {
			o.write(db, read)
		}
	}
	return read
}
