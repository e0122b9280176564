package catalog

import (
	"encoding/hex"
	"strings"
	"testing"

	"isochron/sql/legacy"
	"isochron/txn"
)

// Numbers of collations of utf8mb4.
const (
	generalCI    = 45
	bytewise     = 46
	accentlessCI = 255 // utf8mb4_0900_ai_ci
	codePoints   = 309 // utf8mb4_0900_bin
)

// earlier is a record as releases without padded keys have stored it.
func earlier() *Record {
	return &Record{
		Format: recordFormat, ID: 1, Database: "d", Name: "t", Generation: 3, NextColumn: 3, NextIndex: 2,
		Columns:    []Column{{ID: 1, Name: "p", Type: "varchar(9)", Collation: generalCI}, {ID: 2, Name: "u", Type: "varchar(9)", Collation: bytewise, Nullable: true}},
		PrimaryKey: []uint32{1}, Indexes: []Index{{ID: 1, Name: "u", Columns: []uint32{2}, Unique: true}},
	}
}

// keysOf are the keys of a row and of its entries, without their prefixes.
func keysOf(t *testing.T, d *Descriptor, values ...any) (keys []string) {
	t.Helper()
	key, err := d.RowKey(values, nil)
	if err != nil {
		t.Fatal(err)
	}
	keys = append(keys, hex.EncodeToString([]byte(key[PartitionBytes:])))
	for _, x := range d.Indexes {
		k, _, err := d.Entry(x, values, key)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, hex.EncodeToString([]byte(k[PartitionBytes:])))
	}
	return keys
}

// Tables of earlier releases keep their keys, and their records their bytes.
func TestTablesOfEarlierReleasesKeepTheirKeys(t *testing.T) {
	stored := txn.Encode(earlier())
	d, err := decodeTable(stored)
	if err != nil {
		t.Fatal(err)
	}
	if again := txn.Encode(d.Record); string(again) != string(stored) || d.Record.format() != recordFormat {
		t.Errorf("the record becomes %x of format %d, want %x", again, d.Record.format(), stored)
	}
	if got, want := strings.Join(keysOf(t, d, "a ", "b "), " "), "06422100 06632100"; got != want {
		t.Errorf("the keys of its rows are %s, want %s", got, want)
	}
}

func TestNewKeysArePadded(t *testing.T) {
	text := func(name string, c uint16) legacy.Column {
		return legacy.Column{Name: name, Type: "varchar(9)", Collation: c}
	}
	def := Definition{Database: "d", Name: "t",
		Columns: []legacy.Column{text("p", generalCI), text("u", bytewise)}, PrimaryKey: []int{0},
		Indexes: []legacy.Index{{Name: "u", Unique: true, Columns: []legacy.IndexColumn{{Name: "u"}}}}}
	d, err := Draft(def)
	if err != nil {
		t.Fatal(err)
	}
	if d.Record.format() != paddedFormat || !d.Primary.Padded || !d.Indexes[0].Padded {
		t.Errorf("format %d, %+v", d.Record.format(), d.Record)
	}
	if got, want := strings.Join(keysOf(t, d, "a", "b"), " "), strings.Join(keysOf(t, d, "A  ", "b "), " "); got != want {
		t.Errorf("the keys are %s with spaces and %s without", want, got)
	}
	def.Columns = []legacy.Column{text("p", accentlessCI), text("u", codePoints)}
	if d, err = Draft(def); err != nil {
		t.Fatal(err)
	}
	if d.Record.format() != recordFormat || d.Primary.Padded || d.Indexes[0].Padded {
		t.Errorf("of collations that do not pad: format %d, %+v", d.Record.format(), d.Record)
	}
}

// A new index of an earlier table is padded, unless its entries are in partitions that its unpadded columns choose.
func TestNewIndexesOfEarlierTables(t *testing.T) {
	for _, c := range []struct {
		spread Placement
		unique bool
		want   bool
	}{
		{Placement{}, true, true},
		{Placement{Spread: SpreadHash, Shards: 4, Columns: []uint32{1}}, true, false},
		{Placement{Spread: SpreadHash, Shards: 4, Columns: []uint32{1}}, false, false},
	} {
		r := earlier()
		r.Placement = c.spread
		if err := r.addIndex(legacy.Index{Name: "x", Unique: c.unique, Columns: []legacy.IndexColumn{{Name: "u"}, {Name: "p"}}}); err != nil {
			t.Fatal(err)
		}
		if got := r.Indexes[1].Padded; got != c.want || r.Indexes[0].Padded || r.Padded {
			t.Errorf("%+v: %+v", c, r)
		}
	}
}

// When a column gets another type, the keys that hold it are written again and are padded then.
func TestKeysAreDecidedAgain(t *testing.T) {
	r := earlier()
	if r.padAgain(2); r.Padded || !r.Indexes[0].Padded {
		t.Errorf("after a change of u: %+v", r)
	}
	if r.padAgain(1); !r.Padded || r.format() != paddedFormat {
		t.Errorf("after a change of p: %+v", r)
	}
	r.Columns[1].Collation = codePoints
	if r.padAgain(2); r.Indexes[0].Padded {
		t.Errorf("of a collation that does not pad: %+v", r)
	}
}

func TestKeysOfTruncatedTablesArePadded(t *testing.T) {
	r := earlier()
	if r.padAll(); !r.Padded || !r.Indexes[0].Padded {
		t.Errorf("%+v", r)
	}
}

// A record of a later release is refused.
func TestLaterRecordsAreRefused(t *testing.T) {
	r := earlier()
	r.Format = paddedFormat + 1
	if _, err := decodeTable(txn.Encode(r)); err == nil || !strings.Contains(err.Error(), "newer release") {
		t.Errorf("%v", err)
	}
}
