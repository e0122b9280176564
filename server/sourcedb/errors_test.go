package sourcedb

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"isochron/source"
)

func TestSQLStates(t *testing.T) {
	for state, want := range map[string]struct {
		code              uint16
		ends, again, gone bool
	}{
		"40001": {1213, true, true, false}, "40P01": {1213, true, true, false}, "40003": {codeRolledBack, true, false, false},
		"55P03": {1205, false, true, false}, "57014": {codeInterrupted, false, false, false},
		"23505": {1062, false, false, false}, "23503": {1452, false, false, false}, "23502": {1048, false, false, false},
		"23514": {4025, false, false, false}, "23999": {1859, false, false, false},
		"22001": {1406, false, false, false}, "22003": {1264, false, false, false}, "22012": {1365, false, false, false}, "22999": {1366, false, false, false},
		"42P01": {1146, false, false, false}, "42703": {1054, false, false, false}, "42601": {1064, false, false, false},
		"42501": {1142, false, false, false}, "42999": {1064, false, false, false},
		"25P02": {codeRolledBack, true, false, false}, "25006": {1792, false, false, false}, "25P03": {codeLost, true, false, true},
		"08006": {codeLost, true, false, true}, "08P01": {1210, false, false, false},
		"57P01": {1053, true, false, true}, "57P03": {1053, true, false, true},
		"28P01": {1045, false, false, false}, "3D000": {1049, false, false, false}, "53300": {1040, false, false, false},
		"XX000": {unknownCode, false, false, false}, "": {unknownCode, false, false, false},
	} {
		e := serverWord(fmt.Errorf("within: %w", &pgconn.PgError{Code: state, Message: "m", Detail: "d", Hint: "h"}))
		if e.Code != want.code || e.Ends != want.ends || e.Again != want.again || e.Gone != want.gone || e.State != state || e.Text != "m; d; h" {
			t.Errorf("%q: %+v, want %+v", state, e, want)
		}
	}
	if e := serverWord(&pgconn.PgError{Code: "28P01", Severity: "FATAL"}); !e.Ends && !fatal(&pgconn.PgError{Severity: "FATAL"}) {
		t.Errorf("%+v", e)
	}
	if e := serverWord(&pgconn.PgError{Code: "23502", Message: "m", ColumnName: "v"}); e.Code != 1048 || e.Text != "Column 'v' cannot be null; m" {
		t.Errorf("%+v", e)
	}
	if e := serverWord(&pgconn.PgError{Code: "22P02", File: "jsonfuncs.c"}); e.Code != codeInvalidJSON {
		t.Errorf("%+v", e)
	}
	if serverWord(errors.New("x")) != nil {
		t.Error("another error is taken for a server's")
	}
}

// The error numbers of both dialects on real servers are the same.
func TestSameCodes(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		text := fmt.Sprintf("CREATE TABLE %s_e (id INT PRIMARY KEY, n INT NOT NULL, s VARCHAR(3), p BIGINT, FOREIGN KEY (p) REFERENCES %[1]s (id), CHECK (n < 10))", k.table)
		if k.name_() == "postgres" {
			text += fmt.Sprintf("; ALTER TABLE %s_e OWNER TO agent", k.table)
		}
		k.must(k.server.Exec(text))
		b, _ := k.begin(source.BranchOptions{})
		k.do(b, "INSERT INTO %s VALUES (1, 10)")
		for text, code := range map[string]uint16{
			"INSERT INTO %s VALUES (1, 1)":                    1062,
			"INSERT INTO %s_e VALUES (1, NULL, '', NULL)":     1048,
			"INSERT INTO %s_e VALUES (1, 1, 'abcd', NULL)":    1406,
			"INSERT INTO %s_e VALUES (1, 1, 'abc', 77)":       1452,
			"INSERT INTO %s_e VALUES (1, 11, 'abc', NULL)":    4025,
			"INSERT INTO %s_e VALUES (99999999999, 1, '', 1)": 1264,
			"SELECT x FROM %s":                                1054,
			"SELECT 1 FROM %s_none":                           1146,
			"SELECT (SELECT id FROM %s) FROM":                 1064,
		} {
			_, err := k.try(b, text)
			if e := k.fails(err, code); e.Ends || e.Again || e.Gone {
				t.Errorf("%s: %+v", text, e)
			}
		}
		k.must(b.Commit(k.ctx))
		k.has("1", "10")
	})
}
