package define

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"isochron/sql/catalog"
	"isochron/sql/expr"
	"isochron/sql/parse"
)

// testEnv is an environment with a table p (id INT PRIMARY KEY, v VARCHAR(9), plain INT, KEY (v)).
func testEnv(t *testing.T) *Env {
	t.Helper()
	env := &Env{
		Context: &expr.Context{Now: time.Unix(0, 0), Collation: 255}, Database: "d", Strict: true,
		Find:      func(string, string) (*catalog.Descriptor, bool) { return nil, false },
		Collation: func(string) uint16 { return 255 },
	}
	p, err := catalog.Draft(built(t, env, "CREATE TABLE p (id INT PRIMARY KEY, v VARCHAR(9), plain INT, KEY (v))"))
	if err != nil {
		t.Fatal(err)
	}
	env.Find = func(_, name string) (*catalog.Descriptor, bool) { return p, name == "p" }
	return env
}

func built(t *testing.T, env *Env, text string) catalog.Definition {
	t.Helper()
	def, err := build(env, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return def
}

func build(env *Env, text string) (catalog.Definition, error) {
	s, err := Read(text, parse.Mode{})
	if err != nil {
		return catalog.Definition{}, err
	}
	of, ok := s.(*CreateTable)
	if !ok {
		return catalog.Definition{}, errors.New("it is no CREATE TABLE")
	}
	return of.Build(env)
}

// shown is a definition in words.
func shown(def catalog.Definition) string {
	var out []string
	for _, c := range def.Columns {
		text := c.Name + " " + strings.TrimSuffix(c.Type, " COLLATE utf8mb4_0900_ai_ci")
		if !c.Nullable {
			text += " NOT NULL"
		}
		for i, of := range []*string{c.Default, c.OnUpdate, c.Generated} {
			if of != nil {
				text += []string{" DEFAULT ", " ON UPDATE ", " AS "}[i] + *of
			}
		}
		out = append(out, text)
	}
	if len(def.PrimaryKey) > 0 {
		out = append(out, fmt.Sprint("PRIMARY ", def.PrimaryKey))
	}
	for _, x := range def.Indexes {
		kind := "KEY "
		if x.Unique {
			kind = "UNIQUE "
		}
		out = append(out, kind+x.Name+fmt.Sprint(x.Columns))
	}
	for _, c := range def.Checks {
		out = append(out, "CHECK "+c.Name+" "+c.Text)
	}
	for _, k := range def.ForeignKey {
		out = append(out, fmt.Sprintf("FOREIGN %s %v %s.%s %v", k.Name, k.Columns, k.ParentDatabase, k.ParentTable, k.ParentColumns))
	}
	return strings.Join(out, ", ")
}

func TestTablesAsTheyAreMade(t *testing.T) {
	env := testEnv(t)
	for body, want := range map[string]string{
		"a TINYINT(1), b BOOL, c INTEGER(11) UNSIGNED, d INT ZEROFILL, e SERIAL":                                                                             "a tinyint(1), b tinyint(1), c int unsigned, d int(10) unsigned zerofill, e bigint unsigned NOT NULL, UNIQUE e[{e 0}]",
		"a FLOAT(30), b DOUBLE PRECISION, c REAL(8,2), d DEC(5), e FIXED(4,1), f NUMERIC":                                                                    "a double, b double, c double(8,2), d decimal(5,0), e decimal(4,1), f decimal(10,0)",
		"a YEAR(4), b TIME(3), c DATETIME(6), d TIMESTAMP NULL, e BIT":                                                                                       "a year, b time(3), c datetime(6), d timestamp, e bit(1)",
		"a CHAR, b CHAR VARYING(5), c NATIONAL VARCHAR(4), d TEXT(100), e BLOB(100), f LONG":                                                                 "a char(1), b varchar(5), c varchar(4) CHARACTER SET utf8mb3 COLLATE utf8mb3_general_ci, d text, e tinyblob, f mediumtext",
		"a VARCHAR(9) BINARY, b VARCHAR(9) CHARSET binary, c CHAR(3) ASCII, d TEXT(70000)":                                                                   "a varchar(9) COLLATE utf8mb4_bin, b varbinary(9), c char(3) CHARACTER SET latin1 COLLATE latin1_swedish_ci, d mediumtext",
		`a ENUM('x ', 'it''s', 'b\\s'), b SET('p')`:                                                                                                          `a enum('x','it''s','b\\s'), b set('p')`,
		"a INT DEFAULT '8', b DECIMAL(5,2) DEFAULT 1.005, c INT DEFAULT TRUE, d BIGINT DEFAULT -1e3":                                                         "a int DEFAULT 8, b decimal(5,2) DEFAULT 1.01, c int DEFAULT 1, d bigint DEFAULT -1000",
		`a CHAR(9) DEFAULT 'it''s' 'x', b BINARY(3) DEFAULT 'ab', c BIT(4) DEFAULT b'101', d VARCHAR(3) DEFAULT 12, e ENUM('x') DEFAULT NULL`:                "a char(9) DEFAULT 'it''sx', b binary(3) DEFAULT 0x616200, c bit(4) DEFAULT 5, d varchar(3) DEFAULT '12', e enum('x')",
		"a DATETIME DEFAULT NOW() ON UPDATE CURRENT_TIMESTAMP, b DATE DEFAULT '2024-01-02', c VARCHAR(40) DEFAULT (UUID())":                                  "a datetime DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, b date DEFAULT '2024-01-02', c varchar(40) DEFAULT (uuid())",
		"a INT PRIMARY KEY, g INT AS (a + 1) STORED, h INT GENERATED ALWAYS AS (IF(g > 1, 2, g)) STORED NOT NULL":                                            "a int NOT NULL, g int AS ((`a` + 1)), h int NOT NULL AS (if((`g` > 1), 2, `g`)), PRIMARY [0]",
		"a INT CHECK (a > 0), CONSTRAINT c CHECK (a <> 3 AND a NOT IN (4, 5)) NOT ENFORCED, CHECK (a IS NOT NULL)":                                           "a int, CHECK t_chk_1 (`a` > 0), CHECK c ((`a` <> 3) and (`a` not in (4, 5))), CHECK t_chk_2 (`a` is not null)",
		"a INT, b INT NOT NULL, KEY (a), KEY (a), UNIQUE (a), UNIQUE KEY u USING BTREE (b DESC), KEY k (a) USING HASH COMMENT 'c'":                           "a int, b int NOT NULL, UNIQUE u[{b 0}], UNIQUE a_3[{a 0}], KEY a[{a 0}], KEY a_2[{a 0}], KEY k[{a 0}]",
		"a VARCHAR(9), t TEXT, KEY (a(9), t(3))":                                                                                                             "a varchar(9), t text, KEY a[{a 0} {t 3}]",
		"a INT, b VARCHAR(5), FOREIGN KEY (a) REFERENCES p (id) ON DELETE CASCADE, CONSTRAINT f FOREIGN KEY (b) REFERENCES d.p (v), c INT REFERENCES p (id)": "a int, b varchar(5), c int, KEY a[{a 0}], KEY f[{b 0}], FOREIGN t_ibfk_1 [a] d.p [id], FOREIGN f [b] d.p [v]",
		"id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES t (id)":                                                                                     "id int NOT NULL, up int, PRIMARY [0], KEY up[{up 0}], FOREIGN t_ibfk_1 [up] d.t [id]",
		"`select` INT, `a``b` INT, PRIMARY KEY (`select`), CHECK (`a``b` > `select`)":                                                                        "select int NOT NULL, a`b int, PRIMARY [0], CHECK t_chk_1 (`a``b` > `select`)",
	} {
		def, err := build(env, "CREATE TABLE t ("+body+")")
		if got := shown(def); err != nil || got != want {
			t.Errorf("%s\nis   %s (%v)\nwant %s", body, got, err, want)
		}
	}
}

func TestTablesThatAreRefused(t *testing.T) {
	env := testEnv(t)
	for code, bodies := range map[int][]string{
		1059: {"`" + strings.Repeat("a", 65) + "` INT"}, 1060: {"a INT, A INT", "a INT, KEY (a, a)"}, 1061: {"a INT, KEY k (a), KEY K (a)"},
		1063: {"a VARCHAR(5) AUTO_INCREMENT PRIMARY KEY"}, 1064: {"a INT DEFAULT foo", "a INT, KEY (a) nosuch", "", "a NOSUCH", "a INT,", "a VARCHAR", "a INT CHECK a > 0", "a INT DEFAULT (1"},
		1067: {"a INT DEFAULT 'abc'", "a VARCHAR(2) DEFAULT 'abc'", "a DATE DEFAULT 'x'", "a TINYINT DEFAULT 300", "a INT NOT NULL DEFAULT NULL", "a ENUM('x') DEFAULT 'y'", "a INT DEFAULT NOW()", "a DATETIME(3) DEFAULT NOW()", "a INT AUTO_INCREMENT DEFAULT 1 PRIMARY KEY"},
		1068: {"a INT PRIMARY KEY, b INT PRIMARY KEY"}, 1069: {"a INT" + strings.Repeat(", KEY (a)", 65)}, 1070: {"a0 INT" + many(", a%d INT", 17) + ", KEY (a0" + many(", a%d", 17) + ")"},
		1071: {"a VARCHAR(1000), KEY (a)"}, 1072: {"a INT, KEY (b)", "a INT, FOREIGN KEY (b) REFERENCES p (id)"}, 1074: {"a CHAR(256)", "a VARCHAR(20000)", "a VARBINARY(65536)"},
		1075: {"a INT AUTO_INCREMENT", "a INT, b INT AUTO_INCREMENT, PRIMARY KEY (a, b)", "a INT AUTO_INCREMENT PRIMARY KEY, b INT AUTO_INCREMENT UNIQUE"},
		1089: {"a INT, KEY (a(3))", "a VARCHAR(5), KEY (a(6))"}, 1101: {"a TEXT DEFAULT 'x'", "a JSON DEFAULT '{}'"}, 1111: {"a INT, CHECK (SUM(a) > 0)"},
		1115: {"a CHAR(3) CHARSET nosuch"}, 1166: {"`a ` INT"}, 1170: {"a TEXT, KEY (a)", "a BLOB PRIMARY KEY"}, 1171: {"a INT NULL PRIMARY KEY"}, 1221: {"a INT DEFAULT 1 AS (2)"},
		1239: {"a INT, FOREIGN KEY (a) REFERENCES p (id, v)"}, 1253: {"a CHAR(3) CHARSET latin1 COLLATE utf8mb4_bin"}, 1273: {"a CHAR(3) COLLATE nosuch"}, 1280: {"a INT, KEY `primary` (a)"},
		1291: {"a ENUM('x', 'X')"}, 1294: {"a INT ON UPDATE NOW()"}, 1367: {"a SET('x,y')"}, 1391: {"a CHAR(3), KEY (a(0))"}, 1425: {"a DECIMAL(40,31)"}, 1426: {"a DECIMAL(66)", "a TIME(7)"},
		1427: {"a DECIMAL(3,4)", "a DOUBLE(3,4)"}, 1439: {"a BIT(65)"}, 1818: {"a YEAR(2)"}, 1822: {"a INT, FOREIGN KEY (a) REFERENCES p (plain)"}, 1824: {"a INT, FOREIGN KEY (a) REFERENCES q (id)"},
		1826: {"a INT, CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id), CONSTRAINT F FOREIGN KEY (a) REFERENCES p (id)"}, 1830: {"a INT NOT NULL, FOREIGN KEY (a) REFERENCES p (id) ON DELETE SET NULL"},
		3102: {"a INT, g INT AS ((SELECT 1)) STORED"}, 3104: {"a INT, g INT AS (a) STORED, FOREIGN KEY (g) REFERENCES p (id) ON UPDATE CASCADE"}, 3107: {"g INT AS (h) STORED, h INT AS (1) STORED", "g INT AS (g) STORED"},
		3109: {"a INT AUTO_INCREMENT PRIMARY KEY, g INT AS (a) STORED"}, 3152: {"a JSON, KEY (a)"}, 3734: {"a INT, FOREIGN KEY (a) REFERENCES p (nosuch)"}, 3763: {"a INT, g INT AS (RAND()) STORED", "a DATETIME AS (NOW()) STORED"},
		3767: {"a INT DEFAULT (b), b INT DEFAULT (1)"}, 3780: {"a BIGINT, FOREIGN KEY (a) REFERENCES p (id)", "a VARCHAR(9) COLLATE utf8mb4_bin, FOREIGN KEY (a) REFERENCES p (v)"},
		3813: {"a INT, b INT CHECK (a > 0)"}, 3814: {"a INT, CHECK (a > RAND())"}, 3815: {"a INT, CHECK (a > (SELECT 1))"}, 3816: {"a INT, CHECK (a > @x)"},
		3818: {"a INT AUTO_INCREMENT PRIMARY KEY, CHECK (a > 0)"}, 3820: {"a INT, CHECK (b > 0)"}, 3822: {"a INT, CONSTRAINT c CHECK (a > 0), CONSTRAINT C CHECK (a > 1)"},
		1054: {"a INT AS (nosuch) STORED", "a INT DEFAULT (nosuch)", "a INT AS (u.a) STORED"}, 1305: {"a INT AS (nosuch(1)) STORED"}, 1235: {"a INT, KEY ((a + 1))", "a TEXT, FULLTEXT (a)", "a INT INVISIBLE"},
	} {
		for _, body := range bodies {
			var e *expr.Error
			if _, err := build(env, "CREATE TABLE t ("+body+")"); !errors.As(err, &e) || e.Code != code {
				t.Errorf("%.200s: %v, want %d", body, err, code)
			}
		}
	}
}

// many is a text for each number from 1.
func many(format string, n int) (out string) {
	for i := range n {
		out += fmt.Sprintf(format, i+1)
	}
	return out
}

func TestOptionsOfTables(t *testing.T) {
	env := testEnv(t)
	def := built(t, env, "CREATE TABLE t (a VARCHAR(3)) ENGINE=MyISAM AUTO_INCREMENT=50 DEFAULT CHARSET=latin1 COLLATE=latin1_bin COMMENT='it''s', ROW_FORMAT=DYNAMIC KEY_BLOCK_SIZE=8 STATS_PERSISTENT=1")
	if def.AutoIncrement != 50 || def.Comment != "it's" || def.Collation != 47 || def.Columns[0].Collation != 47 {
		t.Errorf("%+v", def)
	}
	if list, _ := env.Context.Warnings(); len(list) != 1 || list[0].Code != 1266 {
		t.Errorf("%v", list)
	}
	if _, err := build(env, "CREATE TABLE t (a INT) ENGINE=nosuch"); err == nil {
		t.Error("an engine that is not known is taken")
	}
}

// PARTITION BY is a placement, or refused.
func TestPartitions(t *testing.T) {
	env := testEnv(t)
	for clause, want := range map[string]string{
		"HASH (id) PARTITIONS 4": "{ [] hash 4 [id]  []}", "KEY () PARTITIONS 3": "{ [] hash 3 []  []}", "KEY (id, b) PARTITIONS 2": "{ [] hash 2 [id b]  []}",
		"RANGE (id) (PARTITION a VALUES LESS THAN (10), PARTITION b VALUES LESS THAN (20) ENGINE=InnoDB, PARTITION c VALUES LESS THAN MAXVALUE)": "{ [] range 0 []  [[10] [20]]}",
		"RANGE COLUMNS (id) (PARTITION a VALUES LESS THAN (10))":                                                                                 "{ [] range 0 []  [[10]]}",
		"HASH (id + 1) PARTITIONS 4": "1235", "LIST (id) (PARTITION a VALUES IN (1, 2))": "1235", "RANGE (b) (PARTITION a VALUES LESS THAN (10))": "1235",
		"HASH (c) PARTITIONS 4": "1503", "LINEAR HASH (id)": "1235", "RANGE (id) (PARTITION a VALUES LESS THAN (1 + 1))": "1235",
	} {
		def, err := build(env, "CREATE TABLE t (id INT, b INT, c INT, PRIMARY KEY (id, b)) PARTITION BY "+clause)
		got := ""
		var e *expr.Error
		switch {
		case errors.As(err, &e):
			got = fmt.Sprint(e.Code)
		case err != nil:
			got = err.Error()
		default:
			got = fmt.Sprintf("%v", *def.Request)
		}
		if got != want {
			t.Errorf("%s: %s (%v), want %s", clause, got, err, want)
		}
	}
}

// The columns of a query stand behind those that it does not name.
func TestSelectedColumns(t *testing.T) {
	env := testEnv(t)
	s, err := Read("CREATE TABLE t (b INT, n BIGINT) AS SELECT 1", parse.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	of := s.(*CreateTable)
	p, _ := env.Find("", "p")
	err = of.Select([]Selected{{Name: "N"}, {Name: "v", Table: p, Column: 1, Type: expr.ColumnType(p.Type(1), true)}, {Name: "s", Literal: true, Length: 3, Type: expr.ColumnType(p.Type(1), false)}})
	if err != nil {
		t.Fatal(err)
	}
	def, err := of.Build(env)
	if got, want := shown(def), "b int, n bigint, v varchar(9), s varchar(3) NOT NULL DEFAULT ''"; err != nil || got != want {
		t.Errorf("%s (%v), want %s", got, err, want)
	}
	if err := of.Select([]Selected{{Name: "x", Table: p}, {Name: "X", Table: p}}); err == nil {
		t.Error("two columns have one name")
	}
}

// Other statements are other packages'.
func TestOtherStatements(t *testing.T) {
	for _, text := range []string{"SELECT 1", "CREATE USER u", "CREATE PROCEDURE p() SELECT 1", ""} {
		if s, err := Read(text, parse.Mode{}); s != nil || err != nil {
			t.Errorf("%s: %v %v", text, s, err)
		}
	}
	if s, err := Read(`CREATE /*!50100 TABLE */ "t" ("a" VARCHAR(9) DEFAULT 'a\' 'b');`, parse.Mode{AnsiQuotes: true, NoBackslash: true}); err != nil {
		t.Errorf("%v %v", s, err)
	}
}
