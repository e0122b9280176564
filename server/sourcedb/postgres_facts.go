package sourcedb

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"isochron/source"
)

// pgFactsQuery queries what pgFacts reads, as text in this order.
const pgFactsQuery = `SELECT current_setting('server_version'), (SELECT system_identifier FROM pg_control_system()),
	current_database(), (SELECT oid FROM pg_database WHERE datname = current_database()),
	current_setting('max_prepared_transactions'), pg_is_in_recovery(), current_setting('fsync'),
	current_setting('synchronous_commit'), current_setting('default_transaction_read_only')`

func (d *postgres) Facts(ctx context.Context) (f source.Facts, err error) {
	err = d.ask(ctx, func(c *pgConn) error {
		rows, err := c.rows(ctx, pgFactsQuery)
		if err == nil {
			f = pgFacts(texts(rows[0]))
		}
		return err
	})
	return f, err
}

func pgFacts(v []string) source.Facts {
	f := source.Facts{Dialect: source.Postgres, Version: v[0], Identity: strings.Join([]string{"postgres", v[1], v[2], v[3]}, "/"), PreparedMax: -1}
	if n, err := strconv.Atoi(v[4]); err == nil {
		f.PreparedMax = n
	}
	warn := func(format string, args ...any) { f.Warnings = append(f.Warnings, fmt.Sprintf(format, args...)) }
	if f.PreparedMax == 0 {
		warn("max_prepared_transactions is 0: this PostgreSQL refuses to prepare; set it to at least the number of concurrent transactions (and as high on its standbys), and restart it")
	}
	if v[5] == "t" {
		f.PreparedMax = 0
		warn("this PostgreSQL is a standby: it refuses writes and prepares")
	}
	if v[6] == "off" {
		warn("fsync is off: a power cut may lose prepared or committed transactions")
	}
	if v[7] == "off" {
		warn("synchronous_commit is off: a crash may lose transactions committed in one phase; prepared ones are safe")
	}
	if v[8] == "on" {
		warn("default_transaction_read_only is on: it has no effect on transactions that the gateway does not declare read-only")
	}
	return f
}

// texts returns a row's values as text, NULL as "".
func texts(row [][]byte) []string {
	out := make([]string, len(row))
	for i, v := range row {
		out[i] = string(v)
	}
	return out
}

// pgTypes caches the names of types, which a server sends as numbers. Each number is queried once; a source does not
// reuse the numbers of its own types.
type pgTypes struct {
	mu    sync.Mutex
	words map[string]string
}

// pgTypesMax bounds the cached names; beyond it all are dropped.
const pgTypesMax = 10000

// pgTypeKey holds a column's type until pgTypes replaces it by a name.
func pgTypeKey(oid uint32, modifier int32) string {
	return strconv.FormatUint(uint64(oid), 10) + " " + strconv.Itoa(int(modifier))
}

// describe replaces columns' keys by names and queries the server for unseen ones, within the open transaction if
// there is one.
func (t *pgTypes) describe(ctx context.Context, c *pgConn, columns []source.Column) error {
	missing := t.fill(columns)
	if len(missing) == 0 {
		return nil
	}
	var oids, modifiers []string
	for _, key := range missing {
		oid, modifier, _ := strings.Cut(key, " ")
		oids, modifiers = append(oids, oid), append(modifiers, modifier)
	}
	rows, err := c.rows(ctx, "SELECT format_type(o, m) FROM ROWS FROM (unnest($1::oid[]), unnest($2::int[])) AS t(o, m)",
		"{"+strings.Join(oids, ",")+"}", "{"+strings.Join(modifiers, ",")+"}")
	if err != nil {
		return err
	}
	t.mu.Lock()
	if t.words == nil || len(t.words) > pgTypesMax {
		t.words = map[string]string{}
	}
	for i, key := range missing {
		t.words[key] = string(rows[i][0])
	}
	t.mu.Unlock()
	t.fill(columns)
	return nil
}

// fill replaces the keys with cached names and returns the rest.
func (t *pgTypes) fill(columns []source.Column) (missing []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, c := range columns {
		if word, ok := t.words[c.Type]; ok {
			columns[i].Type = word
		} else if strings.Contains(c.Type, " ") && c.Type[0] >= '0' && c.Type[0] <= '9' {
			missing = append(missing, c.Type)
		}
	}
	return missing
}

// Queries of the tables, their columns in order, and the columns of those unique keys that cover all rows and have no
// expression.
const (
	pgColumnsQuery = `SELECT n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod), NOT a.attnotnull,
			a.attidentity <> '' OR coalesce(pg_get_expr(e.adbin, e.adrelid) LIKE 'nextval(%', false),
			CASE c.relpersistence WHEN 'u' THEN 'it is UNLOGGED, and a crash of its server empties it, whatever was committed: ALTER TABLE ... SET LOGGED' ELSE '' END,
			c.relkind = 'r'
		FROM pg_attribute a LEFT JOIN pg_attrdef e ON e.adrelid = a.attrelid AND e.adnum = a.attnum JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
			AND n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema' AND has_schema_privilege(n.oid, 'USAGE')
			AND (has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT'))
		ORDER BY n.nspname, c.relname, a.attnum`
	pgKeysQuery = `SELECT n.nspname, c.relname, i.relname, x.indisprimary, a.attname
		FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
			JOIN pg_class i ON i.oid = x.indexrelid,
			generate_series(0, x.indnkeyatts - 1) AS k JOIN pg_attribute a ON true
		WHERE x.indisunique AND x.indisvalid AND x.indpred IS NULL AND x.indexprs IS NULL
			AND a.attrelid = c.oid AND a.attnum = x.indkey[k]
			AND n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema'
		ORDER BY n.nspname, c.relname, i.relname, k`
)

func (d *postgres) Tables(ctx context.Context) (out []source.Table, err error) {
	err = d.ask(ctx, func(c *pgConn) error {
		columns, err := c.rows(ctx, pgColumnsQuery)
		if err != nil {
			return err
		}
		keys, err := c.rows(ctx, pgKeysQuery)
		if err != nil {
			return err
		}
		out = tables(columns, keys, "t")
		return nil
	})
	return out, err
}
