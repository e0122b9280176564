package main

import (
	"fmt"
	"strings"
)

// TableColumn is a column of a table; Class is a key of literalsOf.
type TableColumn struct {
	Name, Type, Class string
	NotNull           bool
}

// Table is a table that both servers have.
type Table struct {
	Name    string
	Columns []TableColumn
	Primary []string // the columns of the primary key
	Keys    []string // definitions of the other keys
	Indexed []string // columns with which a key other than the primary begins
	// Counter: it has an AUTO_INCREMENT column, so it is created again after each change.
	Counter bool
	// Rows are literals in the order of the columns.
	Rows [][]string
	// Definition is the statement that creates it, if it does not follow from the fields above.
	Definition string
	// Members are the tables of a family, of which this is a view (families.go).
	Members []*Table
}

// rowsPerTable bounds the rows that are drawn for a table.
const rowsPerTable = 24

func (t *Table) create() string {
	if t.Definition != "" {
		return t.Definition
	}
	var parts []string
	for _, c := range t.Columns {
		d := c.Name + " " + c.Type
		if c.NotNull {
			d += " NOT NULL"
		} else if strings.HasPrefix(c.Type, "TIMESTAMP") {
			d += " NULL"
		}
		parts = append(parts, d)
	}
	parts = append(parts, "PRIMARY KEY ("+strings.Join(t.Primary, ", ")+")")
	parts = append(parts, t.Keys...)
	return fmt.Sprintf("CREATE TABLE %s (%s) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci", t.Name, strings.Join(parts, ", "))
}

func (t *Table) insert(rows [][]string) string {
	var values []string
	for _, r := range rows {
		values = append(values, "("+strings.Join(r, ", ")+")")
	}
	return fmt.Sprintf("INSERT INTO %s VALUES %s", t.Name, strings.Join(values, ", "))
}

// dump reads all rows, in the order of the primary key.
func (t *Table) dump() string {
	return fmt.Sprintf("SELECT * FROM %s ORDER BY %s", t.Name, strings.Join(t.Primary, ", "))
}

func (t *Table) class(name string) string {
	for _, c := range t.Columns {
		if c.Name == name {
			return c.Class
		}
	}
	return ""
}

// ordered are the columns that both servers compare alike: MySQL compares JSON by its values, MariaDB by its text.
func (t *Table) ordered() (out []string) {
	for _, c := range t.Columns {
		if c.Class != "json" {
			out = append(out, c.Name)
		}
	}
	return out
}

// where are the columns of some classes; with none given, of all.
func (t *Table) where(classes ...string) (out []string) {
	for _, c := range t.Columns {
		if len(classes) == 0 || strings.Contains(" "+strings.Join(classes, " ")+" ", " "+c.Class+" ") {
			out = append(out, c.Name)
		}
	}
	return out
}

func cols(spec string) (out []TableColumn) {
	for line := range strings.SplitSeq(spec, ";") {
		f := strings.SplitN(strings.TrimSpace(line), " ", 3)
		c := TableColumn{Name: f[0], Class: f[1], Type: f[2]}
		c.Type, c.NotNull = strings.CutSuffix(c.Type, " NOT NULL")
		out = append(out, c)
	}
	return out
}

// pools are stored values by the type's first word: extremes, ordinary values that repeat, so that groups and ties arise.
var pools = map[string][]string{
	"TINYINT": {"0", "1", "2", "-1", "127", "-128", "5"}, "TINYINT UNSIGNED": {"0", "1", "2", "127", "128", "255"},
	"SMALLINT": {"0", "1", "-1", "32767", "-32768", "300"}, "MEDIUMINT": {"0", "1", "-8388608", "8388607", "70000"},
	"INT": {"0", "1", "2", "3", "-1", "100", "2147483647", "-2147483648"}, "INT UNSIGNED": {"0", "1", "2", "2147483648", "4294967295"},
	"BIGINT": {"0", "1", "2", "-1", "9223372036854775807", "-9223372036854775808", "9007199254740993"}, "BIGINT UNSIGNED": {"0", "1", "2", "9223372036854775807", "9223372036854775808", "18446744073709551615"},
	"DECIMAL(10,2)": {"0.00", "1.10", "1.50", "2.50", "-1.10", "99999999.99", "-99999999.99", "0.01"}, "DECIMAL(30,10)": {"0", "1.0000000001", "-1.5", "12345678901234567890.0123456789", "-12345678901234567890.0123456789"},
	"DECIMAL(5,0)": {"0", "1", "-1", "99999"}, "DECIMAL(5,2)": {"0", "1.5", "-1.25", "999.99"}, "FLOAT": {"0", "1", "1.5", "-1.5", "0.1", "16777216", "1e10", "3.4e38"}, "DOUBLE": {"0", "1", "1.5", "-1.5", "0.1", "1e15", "1e100", "-1.7976931348623157e308", "1.5e-7"},
	"INT(5) UNSIGNED ZEROFILL": {"0", "1", "42", "100000", "4294967295"}, "BOOL": {"0", "1", "2"}, "DOUBLE(8,2)": {"0", "1.5", "-1.25", "999999.99"},
	"BIT(8)": {"b'0'", "b'1'", "b'101'", "b'11111111'"}, "BIT(1)": {"b'0'", "b'1'"}, "BIT(64)": {"b'0'", "x'ffffffffffffffff'", "b'101'"}, "YEAR": {"2024", "1901", "2155", "0", "1970"},
	"CHAR": {"''", "'a'", "'A'", "'b'", "'ab'", "'Zz'", "'ä'", "'12'"}, "VARCHAR": {"''", "'a'", "'A'", "'a '", "'b'", "'B'", "'abc'", "'ABC'", "'ä'", "'Ä'", "'a%c'", "'x_y'", "'12'", "'1abc'", "'1.5'", "'日本'", "'2024-01-31'"},
	"TEXT": {"''", "'a'", "'some text'", "'Some Text'", "'1e3'", "'😀'"}, "BINARY(4)": {"'a'", "x'00'", "x'ff00ff00'", "'abcd'"}, "VARBINARY": {"''", "'a'", "'A'", "x'00'", "x'ff'", "'ab'"}, "BLOB": {"''", "'a'", "x'00ff'", "'12'"},
	"TINYTEXT": {"''", "'a'", "'A'", "'ä'"}, "MEDIUMTEXT": {"''", "'a'", "'B'", "'12'"}, "LONGBLOB": {"''", "x'00'", "'b'"}, "TINYBLOB": {"''", "x'ff'", "'a'"},
	"ENUM": {"'x'", "'y'", "'z'"}, "SET": {"''", "'a'", "'a,b'", "'a,b,c'", "'c'"}, "JSON": {`'{"a": 1}'`, `'[1, 2]'`, "'1'", `'"x"'`, "'null'", `'{"a": {"b": [true]}}'`},
	"DATE":     {"'2024-01-31'", "'2024-02-29'", "'1000-01-01'", "'9999-12-31'", "'2023-12-31'", "'0000-00-00'", "'1970-01-01'"},
	"DATETIME": {"'2024-01-31 10:11:12'", "'2024-02-29 00:00:00'", "'1000-01-01 00:00:00'", "'9999-12-31 23:59:59'", "'0000-00-00 00:00:00'", "'2024-01-31 00:00:00'"}, "DATETIME(3)": {"'2024-01-31 10:11:12.500'", "'2024-01-31 10:11:12.123'", "'2024-01-31 00:00:00'"},
	"DATETIME(6)": {"'2024-01-31 10:11:12.000001'", "'2024-01-31 10:11:12.999999'"}, "TIMESTAMP": {"'2024-01-31 10:11:12'", "'1970-01-01 00:00:01'", "'2038-01-19 03:14:07'"},
	"TIME": {"'10:11:12'", "'-10:11:12'", "'00:00:00'", "'838:59:59'", "'-838:59:59'"}, "TIME(3)": {"'10:11:12.500'", "'-00:00:00.001'", "'23:59:59.999'"}, "TIME(6)": {"'10:11:12.000001'", "'10:11:12'"},
}

// pool are the stored values of a type.
func pool(kind string) []string {
	kind, _, _ = strings.Cut(kind, " COLLATE")
	kind, _, _ = strings.Cut(kind, " DEFAULT")
	kind, _, _ = strings.Cut(kind, " AUTO_INCREMENT")
	if p := pools[kind]; p != nil {
		return p
	}
	kind, _, _ = strings.Cut(kind, "(")
	if p := pools[kind]; p != nil {
		return p
	}
	panic("no values for " + kind)
}

// fillRows draws the rows of the table; values of the primary key differ as its collation compares them.
func (t *Table) fillRows(g gen, keys []string) {
	for i := range min(len(keys), rowsPerTable) {
		key := strings.Split(keys[i], "|")
		var row []string
		for j, c := range t.Columns {
			switch {
			case j < len(key):
				row = append(row, key[j])
			case !c.NotNull && g.chance(18):
				row = append(row, "NULL")
			default:
				row = append(row, g.pick(pool(c.Type)...))
			}
		}
		t.Rows = append(t.Rows, row)
	}
}

func integers(from, to int) (out []string) {
	for i := from; i <= to; i++ {
		out = append(out, fmt.Sprint(i))
	}
	return out
}

// newTables makes the tables of a seed: the definitions are fixed, the rows drawn.
func newTables(seed uint64) []*Table {
	tables := []*Table{
		{Name: "num", Primary: []string{"id"}, Indexed: []string{"i", "bu", "d", "ti", "db"}, Keys: []string{"KEY ki (i)", "KEY kb (bu, bi)", "KEY kd (d)", "KEY kt (ti, si)", "KEY kdb (db)"}, Columns: cols(
			"id integer INT NOT NULL; ti integer TINYINT; si integer SMALLINT; mi integer MEDIUMINT; i integer INT; bi integer BIGINT; tu integer TINYINT UNSIGNED; iu integer INT UNSIGNED; bu integer BIGINT UNSIGNED; d decimal DECIMAL(10,2); dd decimal DECIMAL(30,10); d0 decimal DECIMAL(5,0); f double FLOAT; db double DOUBLE; bt bit BIT(8); b1 bit BIT(1); bl bit BIT(64); y year YEAR")},
		{Name: "str", Primary: []string{"id"}, Indexed: []string{"v", "vp", "vb", "c", "e", "vn"}, Keys: []string{"KEY kv (v)", "KEY kp (vp(2))", "KEY kvb (vb)", "KEY kc (c, v)", "KEY ke (e)", "KEY kn (vn)"}, Columns: cols(
			"id integer INT NOT NULL; c text CHAR(10); v text VARCHAR(20); vb text VARCHAR(20) COLLATE utf8mb4_bin; vu text VARCHAR(20) COLLATE utf8mb4_unicode_ci; vp text VARCHAR(20); b bytes BINARY(4); vn bytes VARBINARY(10); t text TEXT; bl bytes BLOB; e enum ENUM('x','y','z'); st set SET('a','b','c'); j json JSON")},
		{Name: "tim", Primary: []string{"id"}, Indexed: []string{"da", "dt", "ts", "tm"}, Keys: []string{"KEY kda (da)", "KEY kdt (dt)", "KEY kts (ts)", "KEY ktm (tm)"}, Columns: cols(
			"id integer BIGINT NOT NULL; da date DATE; dt datetime DATETIME; dt3 datetime DATETIME(3); dt6 datetime DATETIME(6); ts datetime TIMESTAMP; tm time TIME; y year YEAR; s text VARCHAR(20)")},
		{Name: "tim6", Primary: []string{"id"}, Indexed: []string{"tm3"}, Keys: []string{"KEY ktm (tm3)"}, Columns: cols("id integer INT NOT NULL; tm3 time TIME(3); tm6 time TIME(6); s text VARCHAR(20)")},
		{Name: "odd", Primary: []string{"z"}, Indexed: []string{"d", "tt"}, Keys: []string{"KEY kd (d)", "KEY kt (tt(1))"}, Columns: cols(
			"z integer INT(5) UNSIGNED ZEROFILL NOT NULL; bo integer BOOL; d double DOUBLE(8,2); tt text TINYTEXT; mt text MEDIUMTEXT; lb bytes LONGBLOB; tb bytes TINYBLOB")},
		{Name: "two", Primary: []string{"a", "b"}, Indexed: []string{"u", "n"}, Keys: []string{"UNIQUE KEY ku (u)", "KEY kn (n, s)"}, Columns: cols(
			"a integer INT NOT NULL; b text VARCHAR(10) NOT NULL; n integer INT; s text VARCHAR(20); u decimal DECIMAL(10,2)")},
		{Name: "txt", Primary: []string{"k"}, Indexed: []string{"n"}, Keys: []string{"KEY kn (n)"}, Columns: cols("k text VARCHAR(10) NOT NULL; n integer INT; s text VARCHAR(20)")},
		{Name: "uns", Primary: []string{"k"}, Indexed: []string{"n"}, Keys: []string{"KEY kn (n)"}, Columns: cols("k integer BIGINT UNSIGNED NOT NULL; n integer BIGINT; s text VARCHAR(20)")},
		{Name: "dec1", Primary: []string{"k"}, Columns: cols("k decimal DECIMAL(10,2) NOT NULL; n integer INT; s text VARCHAR(20)")},
		{Name: "dat", Primary: []string{"k"}, Indexed: []string{"m"}, Keys: []string{"UNIQUE KEY km (m)"}, Columns: cols("k date DATE NOT NULL; m datetime DATETIME(3); n integer INT")},
		{Name: "bin", Primary: []string{"k"}, Columns: cols("k bytes VARBINARY(8) NOT NULL; n integer INT; s text VARCHAR(20)")},
		{Name: "auto", Primary: []string{"id"}, Counter: true, Indexed: []string{"u", "n"}, Keys: []string{"UNIQUE KEY ku (u)", "KEY kn (n)"}, Columns: cols("id integer INT AUTO_INCREMENT NOT NULL; u text VARCHAR(10); n integer INT DEFAULT 7; d decimal DECIMAL(5,2) DEFAULT 1.5 NOT NULL; w datetime DATETIME DEFAULT '2024-01-01 00:00:00'")},
	}
	keys := map[string][]string{
		"num": integers(1, 24), "str": integers(1, 24), "tim": integers(-2, 18), "tim6": integers(1, 8), "odd": {"0", "1", "2", "42", "100000", "4294967295"}, "uns": {"0", "1", "2", "3", "9223372036854775807", "9223372036854775808", "18446744073709551615"},
		"two":  {"1|'a'", "1|'b'", "1|'1'", "2|'a'", "2|'B'", "3|'a%'", "-1|''", "2147483647|'ä'", "3|'12'", "4|'1abc'"},
		"txt":  {"'a'", "'B'", "'1'", "'01'", "'1abc'", "''", "'1.5'", "'ä1'", "'2024-01-31'", "'x_y'"},
		"dec1": {"0", "1", "1.1", "1.5", "-1.1", "99999999.99", "2.5"}, "dat": {"'2024-01-31'", "'2024-02-29'", "'1000-01-01'", "'9999-12-31'", "'2023-12-31'"},
		"bin": {"'a'", "'A'", "x'00'", "x'ff'", "'ab'", "'1'"}, "auto": integers(1, 6),
	}
	for _, t := range tables {
		g := newGen(seed, "rows of "+t.Name, 0)
		t.fillRows(g, keys[t.Name])
		t.distinct()
	}
	return tables
}

// distinct replaces repeated values of unique keys by NULL.
func (t *Table) distinct() {
	for _, key := range t.Keys {
		name, ok := strings.CutPrefix(key, "UNIQUE KEY ")
		if !ok {
			continue
		}
		name = name[strings.Index(name, "(")+1 : len(name)-1]
		seen := map[string]bool{}
		for _, row := range t.Rows {
			for j, c := range t.Columns {
				if c.Name != name {
					continue
				}
				v := fold(strings.Trim(row[j], "'"))
				if seen[v] {
					row[j] = "NULL"
				}
				seen[v] = true
			}
		}
	}
}
