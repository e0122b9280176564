package rowcodec

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

func columns(t testing.TB) []Column {
	t.Helper()
	var out []Column
	for i, g := range generators {
		c, err := NewColumn(uint32(i*3+1), g.t)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

// A written row is read back, whichever columns are NULL.
func TestRowRoundTrip(t *testing.T) {
	cols := columns(t)
	layout := NewLayout(cols)
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		row := make([]any, len(cols))
		for i, g := range generators {
			if r.IntN(4) > 0 {
				row[i] = g.make(r)
			}
		}
		b, err := EncodeRow(cols, row)
		if err != nil {
			t.Fatal(err)
		}
		got, err := layout.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range cols {
			if row[i] == nil || got[i] == nil {
				if row[i] != nil || got[i] != nil {
					t.Fatalf("%s: wrote %v, read %v", c.Type, row[i], got[i])
				}
				continue
			}
			if order(generators[i].t, row[i], got[i]) != 0 || reflect.TypeOf(row[i]) != reflect.TypeOf(got[i]) {
				t.Fatalf("%s: wrote %T %v, read %T %v", c.Type, row[i], row[i], got[i], got[i])
			}
		}
	}
}

// A column that an old row does not have holds its fill, unless it was set to
// NULL since; one that is gone is passed over.
func TestRowsOutliveColumns(t *testing.T) {
	old, err := NewColumn(1, typed("bigint"))
	if err != nil {
		t.Fatal(err)
	}
	added, err := NewColumn(2, typed("longtext"))
	if err != nil {
		t.Fatal(err)
	}
	added.Fill = "new"
	before, err := EncodeRow([]Column{old}, []any{int64(7)})
	if err != nil {
		t.Fatal(err)
	}
	layout := NewLayout([]Column{added, old})
	expect := func(b []byte, want []any) {
		t.Helper()
		if got, err := layout.Decode(b); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
	}
	expect(before, []any{"new", int64(7)})
	after, err := EncodeRow([]Column{added, old}, []any{nil, int64(7)})
	if err != nil {
		t.Fatal(err)
	}
	expect(after, []any{nil, int64(7)})
	layout = NewLayout([]Column{added})
	expect(before, []any{"new"})
	expect(after, []any{nil})
}

func TestUnknownFormat(t *testing.T) {
	for _, b := range [][]byte{nil, {}, {9}, {formatVersion, 1}, {formatVersion, 1, formBytes, 200}} {
		if _, err := NewLayout(columns(t)).Decode(b); err == nil {
			t.Errorf("%x was read", b)
		}
	}
}

// Nothing that may stand on a disk makes Decode panic.
func FuzzDecode(f *testing.F) {
	cols := columns(f)
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		row := make([]any, len(cols))
		for i, g := range generators {
			row[i] = g.make(r)
		}
		b, err := EncodeRow(cols, row)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	layout := NewLayout(cols)
	f.Fuzz(func(t *testing.T, b []byte) {
		row, err := layout.Decode(b)
		if err != nil {
			return
		}
		if _, err := EncodeRow(cols, row); err != nil {
			t.Errorf("a decoded row cannot be encoded: %v", err)
		}
	})
}

// No text makes AppendKey panic or breaks the order of its length.
func FuzzTextKey(f *testing.F) {
	f.Add("a", "b")
	f.Add("\xff\xfe", "é")
	typ := text(accentlessCI)
	f.Fuzz(func(t *testing.T, a, b string) {
		x, err := AppendKey(nil, typ, a, 0)
		if err != nil {
			t.Fatal(err)
		}
		y, err := AppendKey(nil, typ, a+b, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > 0 && len(y) <= len(x)-1 {
			t.Errorf("the longer text has the shorter key")
		}
	})
}
