package main

// View is a view that both servers have, over the tables.
type View struct {
	Name, Query string
	columns     []TableColumn
	key         []string
	rows        int
}

func (v *View) create() string { return "CREATE VIEW " + v.Name + " AS " + v.Query }

// newViews are the views of every run: some that a query can be merged with, and some that are made first.
func newViews() []*View {
	return []*View{
		{Name: "v_plain", Query: "SELECT id, i, bi, d, f, y FROM num WHERE id < 20", key: []string{"id"}, rows: 19, columns: cols("id integer INT; i integer INT; bi integer BIGINT; d decimal DECIMAL; f double FLOAT; y year YEAR")},
		{Name: "v_names", Query: "SELECT k AS kk, s, n + 0 AS nn, CONCAT(s, '!') AS cs FROM txt", key: []string{"kk"}, rows: 10, columns: cols("kk text VARCHAR; s text VARCHAR; nn integer BIGINT; cs text VARCHAR")},
		{Name: "v_joined", Query: "SELECT t.a, t.b, t.n, u.k, u.s FROM two t LEFT JOIN uns u ON t.n = u.k", key: []string{"a", "b", "k"}, rows: 12, columns: cols("a integer INT; b text VARCHAR; n integer INT; k integer BIGINT; s text VARCHAR")},
		{Name: "v_grouped", Query: "SELECT e, COUNT(*) AS c, MIN(id) AS least FROM str GROUP BY e", key: []string{"e"}, rows: 4, columns: cols("e enum ENUM; c integer BIGINT; least integer INT")},
		{Name: "v_distinct", Query: "SELECT DISTINCT n FROM bin", key: []string{"n"}, rows: 6, columns: cols("n integer INT")},
		{Name: "v_union", Query: "SELECT k, n FROM dec1 UNION ALL SELECT z, NULL FROM odd", rows: 13, columns: cols("k decimal DECIMAL; n integer INT")},
		{Name: "v_limited", Query: "SELECT id, tm3, s FROM tim6 ORDER BY id LIMIT 4", key: []string{"id"}, rows: 4, columns: cols("id integer INT; tm3 time TIME; s text VARCHAR")},
		{Name: "v_nested", Query: "SELECT v.id, v.i, w.n FROM v_plain v JOIN v_distinct w ON v.i = w.n", key: []string{"id"}, rows: 12, columns: cols("id integer INT; i integer INT; n integer INT")},
	}
}
