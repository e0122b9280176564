package foreign

import (
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/dialect"
	"isochron/txn"
)

func TestCollationsOfColumns(t *testing.T) {
	for _, c := range []struct {
		of             dialect.Dialect
		typ, collation string
		want           gms.CollationID
	}{
		{dialect.MySQL, "varchar(10)", "utf8mb4_general_ci", gms.Collation_utf8mb4_general_ci},
		{dialect.MySQL, "text", "utf8mb4_unicode_ci", gms.Collation_utf8mb4_unicode_ci},
		{dialect.MySQL, "char(3)", "latin1_swedish_ci", gms.Collation_utf8mb4_general_ci},
		{dialect.MySQL, "char(3)", "utf8mb3_unicode_ci", gms.Collation_utf8mb4_unicode_ci},
		{dialect.MySQL, "char(3)", "latin1_general_cs", gms.Collation_utf8mb4_0900_as_cs},
		{dialect.MySQL, "char(3)", "latin1_bin", gms.Collation_utf8mb4_bin},
		{dialect.MySQL, "char(3)", "utf8mb4_bin", gms.Collation_utf8mb4_bin},
		{dialect.MySQL, "char(3)", "utf8mb4_0900_ai_ci", gms.Collation_utf8mb4_0900_ai_ci},
		{dialect.MySQL, "char(3)", "utf8mb4_uca1400_ai_ci", gms.Collation_utf8mb4_0900_ai_ci},
		{dialect.MySQL, "char(3)", "utf8mb4_nopad_bin", gms.Collation_utf8mb4_bin},
		{dialect.MySQL, "char(3)", "utf8mb4_uca1400_swedish_as_ci", gms.Collation_utf8mb4_0900_as_ci},
		{dialect.MySQL, "char(3)", "", 0},
		{dialect.MySQL, "int(11)", "", 0},
		{dialect.MySQL, "varbinary(3)", "", 0},
		{dialect.Postgres, "text", "", gms.Collation_utf8mb4_0900_bin},
		{dialect.Postgres, "citext", "", gms.Collation_utf8mb4_0900_as_ci},
		{dialect.Postgres, "integer", "", 0},
	} {
		got := column(string(c.of), txn.Column{Name: "c", Type: c.typ, Collation: c.collation})
		if got.Collation != uint16(c.want) {
			t.Errorf("%s %s of %s: %s, want %s", c.typ, c.collation, c.of, gms.CollationID(got.Collation).Name(), c.want.Name())
		}
	}
}
