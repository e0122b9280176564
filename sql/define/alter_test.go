package define

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"isochron/sql/catalog"
	"isochron/sql/expr"
	"isochron/sql/parse"
)

// alter applies a statement to a table.
func alter(t *testing.T, env *Env, body, text string, children ...string) (*Altered, error) {
	t.Helper()
	old, err := catalog.Draft(built(t, env, "CREATE TABLE t ("+body+")"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Read(text, parse.Mode{})
	if err != nil {
		return nil, err
	}
	of, ok := s.(*AlterTable)
	if !ok {
		t.Fatalf("%s is no ALTER TABLE", text)
	}
	of.Actions = append([]Action(nil), of.Actions...)
	before := env.Find
	env.Find = func(db, name string) (*catalog.Descriptor, bool) {
		if name == "t" {
			return old, true
		}
		return before(db, name)
	}
	var list []*catalog.Descriptor
	for _, child := range children {
		def := built(t, env, child)
		d, err := catalog.Draft(def)
		if err != nil {
			t.Fatal(err)
		}
		d.Record.ID = 7
		list = append(list, d)
	}
	env.Find = before
	return of.Alter(env, old, list)
}

const altered = "id INT PRIMARY KEY, v INT, w INT DEFAULT 7, s VARCHAR(5), g INT AS (v + 1) STORED, KEY iv (v), UNIQUE KEY uw (w, s), CHECK (v > 0), CONSTRAINT c2 CHECK (w <> v), up INT, CONSTRAINT f FOREIGN KEY (up) REFERENCES p (id)"

func TestTablesAsTheyAreAltered(t *testing.T) {
	env := testEnv(t)
	const rest = "UNIQUE uw[{w 0} {s 0}], KEY iv[{v 0}], KEY f[{up 0}], CHECK t_chk_1 (`v` > 0), CHECK c2 (`w` <> `v`), FOREIGN f [up] d.p [id]"
	for actions, want := range map[string]string{
		"":                                     "id int NOT NULL, v int, w int DEFAULT 7, s varchar(5), g int AS ((`v` + 1)), up int, PRIMARY [0], " + rest,
		"ADD z INT NOT NULL FIRST":             "z int NOT NULL, id int NOT NULL, v int, w int DEFAULT 7, s varchar(5), g int AS ((`v` + 1)), up int, PRIMARY [1], " + rest,
		"ADD COLUMN (x INT, y INT UNIQUE)":     "id int NOT NULL, v int, w int DEFAULT 7, s varchar(5), g int AS ((`v` + 1)), up int, x int, y int, PRIMARY [0], " + strings.Replace(rest, "KEY iv", "UNIQUE y[{y 0}], KEY iv", 1),
		"MODIFY v BIGINT AFTER w":              "id int NOT NULL, w int DEFAULT 7, v bigint, s varchar(5), g int AS ((`v` + 1)), up int, PRIMARY [0], " + rest,
		"CHANGE v x INT, RENAME COLUMN w TO v": "id int NOT NULL, x int, v int DEFAULT 7, s varchar(5), g int AS ((`x` + 1)), up int, PRIMARY [0], UNIQUE uw[{v 0} {s 0}], KEY iv[{x 0}], KEY f[{up 0}], CHECK t_chk_1 (`x` > 0), CHECK c2 (`v` <> `x`), FOREIGN f [up] d.p [id]",
		"ALTER v SET DEFAULT 3, ALTER COLUMN w DROP DEFAULT": "id int NOT NULL, v int DEFAULT 3, w int, s varchar(5), g int AS ((`v` + 1)), up int, PRIMARY [0], " + rest,
		"DROP g, DROP CHECK c2, DROP w, DROP INDEX iv":       "id int NOT NULL, v int, s varchar(5), up int, PRIMARY [0], UNIQUE uw[{s 0}], KEY f[{up 0}], CHECK t_chk_1 (`v` > 0), FOREIGN f [up] d.p [id]",
		"DROP PRIMARY KEY, ADD PRIMARY KEY (v, id)":          "id int NOT NULL, v int NOT NULL, w int DEFAULT 7, s varchar(5), g int AS ((`v` + 1)), up int, PRIMARY [1 0], " + rest,
		"DROP FOREIGN KEY f, DROP KEY f, RENAME INDEX iv TO x, ADD CONSTRAINT CHECK (w > 1), ALTER CHECK c2 NOT ENFORCED, ALTER INDEX uw INVISIBLE": "id int NOT NULL, v int, w int DEFAULT 7, s varchar(5), g int AS ((`v` + 1)), up int, PRIMARY [0], UNIQUE uw[{w 0} {s 0}], KEY x[{v 0}], CHECK t_chk_1 (`v` > 0), CHECK c2 (`w` <> `v`), CHECK t_chk_2 (`w` > 1)",
		"CONVERT TO CHARACTER SET latin1": "id int NOT NULL, v int, w int DEFAULT 7, s varchar(5) CHARACTER SET latin1 COLLATE latin1_swedish_ci, g int AS ((`v` + 1)), up int, PRIMARY [0], " + rest,
		"ENGINE=InnoDB COMMENT='x' AUTO_INCREMENT=9, DISABLE KEYS, ENABLE KEYS, FORCE, ALGORITHM=COPY, LOCK=NONE, ORDER BY v": "id int NOT NULL, v int, w int DEFAULT 7, s varchar(5), g int AS ((`v` + 1)), up int, PRIMARY [0], " + rest,
	} {
		out, err := alter(t, env, altered, "ALTER TABLE t "+actions)
		if err != nil {
			t.Errorf("%s: %v", actions, err)
			continue
		}
		if got := shown(out.Definition); got != want {
			t.Errorf("%s\nis   %s\nwant %s", actions, got, want)
		}
	}
}

func TestAlterationsThatAreRefused(t *testing.T) {
	env := testEnv(t)
	for code, list := range map[int][]string{
		1054: {"MODIFY x INT", "CHANGE x y INT", "RENAME COLUMN x TO y", "ALTER x SET DEFAULT 1", "ADD z INT AFTER x"}, 1060: {"ADD v INT", "RENAME COLUMN v TO w", "CHANGE v W INT", "ADD z INT, ADD Z INT"},
		1061: {"ADD INDEX iv (w)", "RENAME KEY iv TO uw"}, 1064: {"ADD", "DROP", "NOSUCH", "ADD z INT z", "ADD z INT,"}, 1067: {"ALTER v SET DEFAULT 'x'"}, 1068: {"ADD PRIMARY KEY (v)", "ADD z INT PRIMARY KEY"},
		1072: {"ADD INDEX (x)", "DROP v, DROP g, DROP CHECK t_chk_1, DROP CHECK c2, ADD INDEX (v)"}, 1090: {"DROP id, DROP v, DROP w, DROP s, DROP g, DROP up"}, 1091: {"DROP x", "DROP INDEX x", "DROP FOREIGN KEY x"},
		1075: {"ADD z INT AUTO_INCREMENT"}, 1171: {"MODIFY id INT NULL"}, 1176: {"RENAME INDEX x TO y", "ALTER INDEX x VISIBLE"}, 1235: {"DROP PARTITION p", "ADD FULLTEXT (s)"},
		1553: {"DROP INDEX f"}, 1822: {"ADD FOREIGN KEY (v) REFERENCES p (plain)"}, 1828: {"DROP up"}, 1832: {"MODIFY up BIGINT"}, 3106: {"MODIFY g INT AS (v + 1) VIRTUAL"}, 3108: {"DROP v"}, 3813: {"ADD z INT CHECK (v > 0)"},
		3821: {"DROP CHECK x", "ALTER CHECK x ENFORCED"}, 3822: {"ADD CONSTRAINT C2 CHECK (v > 0)"}, 3940: {"DROP CONSTRAINT x"}, 3959: {"DROP g, DROP v"},
	} {
		for _, actions := range list {
			var e *expr.Error
			if _, err := alter(t, env, altered, "ALTER TABLE t "+actions); !errors.As(err, &e) || e.Code != code {
				t.Errorf("%s: %v, want %d", actions, err, code)
			}
		}
	}
	const child = "CREATE TABLE c (id INT PRIMARY KEY, t INT, FOREIGN KEY (t) REFERENCES t (u))"
	for actions, code := range map[string]int{"DROP u": 1829, "MODIFY u BIGINT": 1833, "DROP INDEX u": 1553, "DROP INDEX u, ADD INDEX x (u)": 0, "RENAME COLUMN u TO x": 0} {
		env.Unchecked = true // c is made before t is known
		s, err := Read(child, parse.Mode{})
		if err != nil || s == nil {
			t.Fatal(err)
		}
		out, err := func() (*Altered, error) {
			old, err := catalog.Draft(built(t, env, "CREATE TABLE t (id INT PRIMARY KEY, u INT UNIQUE)"))
			if err != nil {
				return nil, err
			}
			c, err := catalog.Draft(built(t, env, child))
			if err != nil {
				return nil, err
			}
			c.Record.ID, env.Unchecked = 7, false
			s, err := Read("ALTER TABLE t "+actions, parse.Mode{})
			if err != nil {
				return nil, err
			}
			return s.(*AlterTable).Alter(env, old, []*catalog.Descriptor{c})
		}()
		var e *expr.Error
		if errors.As(err, &e) && e.Code != code || code == 0 && err != nil {
			t.Errorf("%s: %v, want %d", actions, err, code)
		}
		if strings.HasPrefix(actions, "RENAME") && (err != nil || fmt.Sprint(out.Columns) != "[[u x]]") {
			t.Errorf("%s: %v %v", actions, out, err)
		}
	}
}

// Rows are written again only where they have to be, and have the values that the new definition gives them.
func TestRowsOfAlteredTables(t *testing.T) {
	env := testEnv(t)
	const body = "id INT PRIMARY KEY, v INT, s VARCHAR(5), e ENUM('a', 'b')"
	row := []any{int32(3), nil, "12", uint16(2)}
	for actions, want := range map[string]string{
		"ADD z INT DEFAULT 5": "fill [<nil> <nil> <nil> <nil> 5]", "ADD z VARCHAR(3) NOT NULL FIRST": "fill [ <nil> <nil> <nil> <nil>]", "MODIFY s VARCHAR(50)": "fill [<nil> <nil> <nil> <nil>]",
		"ADD z INT AS (id * 2) STORED": "[3 <nil> 12 2 6]", "MODIFY s INT": "[3 <nil> 12 2]", "MODIFY e ENUM('b', 'c')": "[3 <nil> 12 1]", "MODIFY v INT NOT NULL": "1138", "MODIFY s VARCHAR(1)": "1406",
		"MODIFY e ENUM('x')": "1265", "DROP PRIMARY KEY, ADD z INT AUTO_INCREMENT PRIMARY KEY": "[3 <nil> 12 2 1]", "DROP PRIMARY KEY, DROP id": "[<nil> 12 2]", "MODIFY id INT AUTO_INCREMENT": "[3 <nil> 12 2] 4",
		"ADD z INT DEFAULT (id + 1)": "[3 <nil> 12 2 4]",
	} {
		out, err := alter(t, env, body, "ALTER TABLE t "+actions)
		if err != nil {
			t.Errorf("%s: %v", actions, err)
			continue
		}
		got := fmt.Sprint("fill ", out.Fill)
		if out.Row != nil {
			made, err := out.Row(0, row)
			got = fmt.Sprint(made)
			if n := out.Next(); n > 3 {
				got += fmt.Sprint(" ", n)
			}
			var e *expr.Error
			if errors.As(err, &e) {
				got = fmt.Sprint(e.Code)
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", actions, got, want)
		}
	}
}

// Checks and foreign keys that are new are verified over the rows.
func TestVerifications(t *testing.T) {
	env := testEnv(t)
	out, err := alter(t, env, altered, "ALTER TABLE t ADD CHECK (w > 1), ADD CONSTRAINT f2 FOREIGN KEY (v) REFERENCES p (id), ADD CHECK (w > 2) NOT ENFORCED")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range out.Verify {
		got = append(got, fmt.Sprint(v.Error.Code, " ", v.Query))
	}
	want := "3819 SELECT 1 FROM `d`.`t` WHERE ((`w` > 1)) IS FALSE LIMIT 1\n1452 SELECT 1 FROM `d`.`t` c LEFT JOIN `d`.`p` p ON c.`v` = p.`id` WHERE c.`v` IS NOT NULL AND p.`id` IS NULL LIMIT 1"
	if strings.Join(got, "\n") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, "\n"), want)
	}
}

func TestIndexStatements(t *testing.T) {
	env := testEnv(t)
	for text, want := range map[string]string{
		"CREATE INDEX x USING BTREE ON t (v DESC) COMMENT 'c' ALGORITHM=INPLACE LOCK NONE": "x", "CREATE UNIQUE INDEX x ON t (s(3), v)": "x", "DROP INDEX iv ON t ALGORITHM DEFAULT": "", "DROP INDEX `PRIMARY` ON t": "",
	} {
		out, err := alter(t, env, altered, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := shown(out.Definition); want != "" && !strings.Contains(got, " "+want+"[") {
			t.Errorf("%s: %s", text, got)
		}
	}
}
