package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"isochron/geo"
	"isochron/protocol"
	"isochron/server"
	"isochron/server/sourcedb/sourcetest"
	"isochron/sql"
)

// Tables at attached databases: with --sources each table of the Isochron that is started is one of four sources', two of
// PostgreSQL and two of MariaDB.

// sourceForms are the forms whose statements only read tables, without views.
var sourceForms = []string{"one-table", "joins", "subqueries", "sets", "windows"}

// sourceNames are the names of the sources.
var sourceNames = []string{"pg_a", "pg_b", "my_a", "my_b"}

// sourceOf is where a table is. Those at a PostgreSQL have types and values that it has.
var sourceOf = map[string]string{
	"dec1": "pg_a", "two": "pg_a", "txt": "pg_b", "dat": "pg_b",
	"num": "my_a", "tim": "my_a", "uns": "my_a", "auto": "my_a", "str": "my_b", "tim6": "my_b", "odd": "my_b", "bin": "my_b",
}

// postgresCollation is that of a text of a PostgreSQL, at the yardstick.
const postgresCollation = "utf8mb4_nopad_bin"

// sources are the databases that Isochron's tables are in.
type sources map[string]*sourcetest.Server

// startSources starts them.
func startSources() (out sources, err error) {
	out = sources{}
	for _, name := range sourceNames {
		start := sourcetest.MariaDB
		if strings.HasPrefix(name, "pg") {
			start = sourcetest.Postgres
		}
		if out[name], err = start(); err != nil {
			delete(out, name)
			out.close()
			return nil, err
		}
	}
	return out, nil
}

func (s sources) close() {
	for _, one := range s {
		one.Close()
	}
}

// argument is what a child that serves them is given: their URLs.
func (s sources) argument() string {
	var list []string
	for _, name := range sourceNames {
		list = append(list, s[name].URL())
	}
	return strings.Join(list, ",")
}

// makeTable creates a table at its source, with its rows, and maps it.
func (s sources) makeTable(session *Session, t *Table) error {
	name, ok := sourceOf[t.Name]
	if !ok {
		session.missing[t.Name] = "no source has it"
		return nil
	}
	at := s[name]
	texts := []string{"DROP TABLE IF EXISTS " + t.Name, t.create(), t.insert(t.Rows)}
	if at.Kind == "postgres" {
		texts[1] = t.createPostgres()
		texts = append(texts, "GRANT ALL ON "+t.Name+" TO "+sourcetest.User)
	} else {
		texts[2] = "SET sql_mode = '', time_zone = '+00:00'; " + texts[2]
	}
	for _, text := range texts {
		if err := at.Exec(text); err != nil {
			return fmt.Errorf("%s: %s: %w", name, text, err)
		}
	}
	call := fmt.Sprintf("CALL isochron.import_table('%s', '%s', '%s')", name, session.database, t.Name)
	if _, err := session.conn.query(call); err != nil {
		return fmt.Errorf("%s: %w", call, err)
	}
	return nil
}

// postgresTypes are the types of the tables there that have another name at a PostgreSQL.
var postgresTypes = strings.NewReplacer("DATETIME(3)", "timestamp(3)", " COLLATE "+postgresCollation, "")

func (t *Table) createPostgres() string {
	var parts []string
	for _, c := range t.Columns {
		d := c.Name + " " + postgresTypes.Replace(c.Type)
		if c.NotNull {
			d += " NOT NULL"
		}
		parts = append(parts, d)
	}
	return fmt.Sprintf("CREATE TABLE %s (%s, PRIMARY KEY (%s))", t.Name, strings.Join(parts, ", "), strings.Join(t.Primary, ", "))
}

// atSources are the tables as the yardstick has them: texts of a PostgreSQL are compared by their bytes.
func atSources(tables []*Table) (out []*Table) {
	for _, t := range tables {
		if !strings.HasPrefix(sourceOf[t.Name], "pg") {
			out = append(out, t)
			continue
		}
		c := *t
		c.Columns = slices.Clone(t.Columns)
		for i := range c.Columns {
			if c.Columns[i].Class == "text" {
				c.Columns[i].Type += " COLLATE " + postgresCollation
			}
		}
		out = append(out, &c)
	}
	return out
}

// sourcesMax is how long the sources may take until they serve.
const sourcesMax = 2 * time.Minute

// serveSources is an Isochron of one small cluster over sources, which ends when ready returns.
func serveSources(urls []string, config sql.Config, ready func(addr string)) (err error) {
	wan, err := geo.Parse("azure5")
	if err != nil {
		return err
	}
	spec, err := protocol.LiveByName("geotp")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "differential-cluster")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cfg := server.Config{Dir: dir, WAN: wan.Scale(0.001), WANName: "azure5", Spec: spec}
	for i, url := range urls {
		cfg.Sources = append(cfg.Sources, server.SourceConfig{Name: sourceNames[i], Address: url, Region: wan.Regions[i]})
	}
	ctx, cancel := context.WithTimeout(context.Background(), sourcesMax)
	defer cancel()
	core, err := server.Start(ctx, cfg)
	if err != nil {
		return err
	}
	defer core.Close()
	if err := core.AwaitSources(ctx); err != nil {
		return err
	}
	s, err := sql.NewServer(core.DB(wan.Regions[0]), config)
	if err != nil {
		return err
	}
	ready(s.Addr().String())
	return s.Close()
}
