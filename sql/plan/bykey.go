package plan

import (
	"cmp"
	"slices"

	gms "github.com/dolthub/go-mysql-server/sql"
	gmsplan "github.com/dolthub/go-mysql-server/sql/plan"

	"isochron/sql/catalog"
	"isochron/sql/table"
	"isochron/txn"
)

// ByKey is one execution of a statement that identifies the rows it writes by their keys, so that all its reads are known
// in advance. Like a PointUpdate it holds all its data.
type ByKey struct {
	Kind    Kind
	Plan    *RoundPlan // what the statement does
	Table   *table.Table
	Matched int // rows that it has found, or inserted
	Changed int // rows that it has changed, inserted or deleted
	parts   []part
	columns []int // that a query shows
}

// Kind is a statement's operation on its rows.
type Kind uint8

// The kinds.
const (
	Updates Kind = iota
	Deletes
	Inserts
	Reads // with FOR UPDATE
)

// part is the operation on one row.
type part interface {
	// reads are the keys that it reads.
	reads() []txn.Key
	// writes returns the keys that it may write; all is false if others follow from its reads.
	writes() (keys []txn.Key, all bool)
	// do does it; ok is false if the engine has to do all of the statement.
	do(rows *rowsNow) (matched, changed, ok bool)
}

// rowsNow are rows in their state after the operations so far.
type rowsNow struct {
	read, written map[txn.Key][]byte // nil: there is none
}

func (r *rowsNow) get(k txn.Key) []byte {
	if v, ok := r.written[k]; ok {
		return v
	}
	return r.read[k]
}

func (r *rowsNow) put(writes ...txn.Write) {
	for _, w := range writes {
		r.written[w.Key] = w.Value
	}
}

// ByKey readies the bound plan for an execution of all of it in one go; nil if it is not one for that,
// or not with these values.
func (p *Prepared) ByKey(ctx *gms.Context) *ByKey {
	b := &ByKey{Plan: p.Plan}
	if p.inserts != nil {
		b.Kind, b.Table = Inserts, p.Plan.Insert.Table
		return b.inserting(ctx, p.inserts)
	}
	if p.lookups != nil {
		return b.reading(ctx, p)
	}
	if p.point == nil && !p.deletes {
		return nil
	}
	if b.Table = p.Plan.Read.Table; p.deletes {
		b.Kind = Deletes
	}
	rows, ok := p.held.named(ctx)
	if !ok {
		return nil
	}
	for _, row := range rows {
		if p.deletes {
			b.parts = append(b.parts, &deletion{row, b.Table.Descriptor()})
			continue
		}
		u := p.updateOf(ctx, row)
		if u == nil {
			return nil
		}
		b.parts = append(b.parts, u)
	}
	return b
}

// reading readies a query.
func (b *ByKey) reading(ctx *gms.Context, p *Prepared) *ByKey {
	rows, ok := p.lookups.held.named(ctx)
	if !ok {
		return nil
	}
	b.Kind, b.Table, b.columns = Reads, p.Plan.Read.Table, p.lookups.columns
	for _, row := range rows {
		b.parts = append(b.parts, &lookup{heldRow: row, desc: p.lookups.held.desc})
	}
	return b
}

func (u *PointUpdate) reads() []txn.Key { return []txn.Key{u.Key} }

func (u *PointUpdate) writes() ([]txn.Key, bool) { return []txn.Key{u.Key}, u.FixedSet() }

func (u *PointUpdate) do(rows *rowsNow) (matched, changed, ok bool) {
	writes, matched, changed, ok := u.Apply(rows.get(u.Key))
	rows.put(writes...)
	return matched, changed, ok
}

// isDeletion recognises a DELETE of rows that are held by their keys, to which nothing refers. Of a table with secondary
// indexes the entries to delete follow from what the rows were: it is for the engine.
func isDeletion(p *Prepared) bool {
	del, ok := p.Root.(*gmsplan.DeleteFrom)
	if !ok || p.held == nil || len(del.Returning) > 0 || del.Child != p.Plan.Read.Top || len(p.held.desc.Indexes) > 0 {
		return false
	}
	deletable, err := gmsplan.GetDeletable(del.GetDeleteTargets()[0])
	_, alone := deletable.(*table.Table) // else rows of other tables go with it
	return err == nil && alone
}

// deletion deletes a row, if it is there.
type deletion struct {
	heldRow
	desc *catalog.Descriptor
}

func (d *deletion) reads() []txn.Key { return []txn.Key{d.key} }

func (d *deletion) writes() ([]txn.Key, bool) { return []txn.Key{d.key}, true }

func (d *deletion) do(rows *rowsNow) (matched, changed, ok bool) {
	stored := rows.get(d.key)
	if stored == nil {
		return false, false, true
	}
	if len(d.texts) > 0 {
		row, err := d.desc.DecodeRow(stored)
		if err != nil || !hasTexts(row, d.texts) {
			return false, false, false
		}
	}
	rows.put(txn.Write{Key: d.key})
	return true, true, true
}

// Together are statements that name their rows by their keys and are one transaction.
type Together struct {
	Reads  []txn.Key // each once, rising
	Writes []txn.Key // all that they may write, likewise; nil if some follow from what they read
	all    []*ByKey
}

// togetherMax bounds the keys of such a transaction.
const togetherMax = 256

// Join makes one transaction of statements, which are done in their order; nil if it has too many keys.
func Join(all ...*ByKey) *Together {
	t, declared := &Together{all: all}, true
	for _, b := range all {
		for _, p := range b.parts {
			keys, known := p.writes()
			declared = declared && known
			t.Reads, t.Writes = append(t.Reads, p.reads()...), append(t.Writes, keys...)
		}
	}
	t.Reads, t.Writes = eachOnce(t.Reads), eachOnce(t.Writes)
	if len(t.Reads)+len(t.Writes) > togetherMax {
		return nil
	}
	if !declared {
		t.Writes = nil
	}
	return t
}

func eachOnce(keys []txn.Key) []txn.Key {
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Apply does the statements to the values of Reads, once, and gives what they write, in the order of
// the keys. ok is false if they are for the engine, one by one. It may run after they were given up.
func (t *Together) Apply(values [][]byte) (writes []txn.Write, ok bool) {
	rows := &rowsNow{read: make(map[txn.Key][]byte, len(values)), written: map[txn.Key][]byte{}}
	for i, k := range t.Reads {
		rows.read[k] = values[i]
	}
	for _, b := range t.all {
		for _, p := range b.parts {
			matched, changed, ok := p.do(rows)
			if !ok {
				return nil, false
			}
			if matched {
				b.Matched++
			}
			if changed {
				b.Changed++
			}
		}
	}
	for k, v := range rows.written { // order: sorted below
		writes = append(writes, txn.Write{Key: k, Value: v})
	}
	slices.SortFunc(writes, func(a, b txn.Write) int { return cmp.Compare(a.Key, b.Key) })
	return writes, true
}
