package foreign

import (
	"testing"

	"isochron/sql/dialect"
	"isochron/txn"
)

func TestCollationsOfColumns(t *testing.T) {
	const unicodeCI = 224
	for _, c := range []struct {
		of             dialect.Dialect
		typ, collation string
		want           uint16
	}{
		{dialect.MySQL, "varchar(10)", "utf8mb4_general_ci", generalCI},
		{dialect.MySQL, "text", "utf8mb4_unicode_ci", unicodeCI},
		{dialect.MySQL, "char(3)", "latin1_swedish_ci", generalCI},
		{dialect.MySQL, "char(3)", "utf8mb3_unicode_ci", unicodeCI},
		{dialect.MySQL, "char(3)", "latin1_general_cs", accentsCS},
		{dialect.MySQL, "char(3)", "latin1_bin", binary},
		{dialect.MySQL, "char(3)", "utf8mb4_bin", binary},
		{dialect.MySQL, "char(3)", "utf8mb4_0900_ai_ci", accentlessCI},
		{dialect.MySQL, "char(3)", "utf8mb4_uca1400_ai_ci", accentlessCI},
		{dialect.MySQL, "char(3)", "utf8mb4_nopad_bin", binary},
		{dialect.MySQL, "char(3)", "utf8mb4_uca1400_swedish_as_ci", accentsCI},
		{dialect.MySQL, "char(3)", "", 0},
		{dialect.MySQL, "int(11)", "", 0},
		{dialect.MySQL, "varbinary(3)", "", 0},
		{dialect.Postgres, "text", "", codePoints},
		{dialect.Postgres, "citext", "", accentsCI},
		{dialect.Postgres, "integer", "", 0},
	} {
		got := column(string(c.of), txn.Column{Name: "c", Type: c.typ, Collation: c.collation})
		if got.Collation != c.want {
			t.Errorf("%s %s of %s: %d, want %d", c.typ, c.collation, c.of, got.Collation, c.want)
		}
	}
}
