package main

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

// statementBound is how long one statement may take.
const statementBound = 10 * time.Second

// Session is a connection to a server with a database of its own, which has the tables.
type Session struct {
	server   *Server
	database string
	tables   []*Table
	views    []*View
	path     string // exprPath, or "": the server's
	bound    time.Duration
	memory   int64 // isochron_statement_memory, in bytes; 0: the server's own

	conn *wireConn
	life int
	// missing are the tables that the server has refused to create, with its error.
	missing map[string]string
	before  map[string][][]Cell // the rows of each table
	// shown has, for each table and column, the texts of stored values that the server shows otherwise than MariaDB: they
	// differ in every read, and not once more in the table after a change.
	shown  map[string]string
	remade int // how often DELETE and INSERT did not give a table its rows back
	mode   string
	bytes  int64 // isochron_statement_memory as it is set now
}

// open connects, and creates the database with its tables if the server does not have it.
func (s *Session) open() error {
	if s.path == exprPath {
		return nil
	}
	if s.bound == 0 {
		s.bound = statementBound
	}
	life, _, err := s.server.revive(0)
	if err != nil {
		return err
	}
	s.life = life
	s.missing, s.before, s.shown = map[string]string{}, map[string][][]Cell{}, map[string]string{}
	return s.load()
}

// load creates the database and fills its tables.
func (s *Session) load() error {
	if err := s.connect(""); err != nil {
		return err
	}
	for _, q := range []string{
		"DROP DATABASE IF EXISTS " + s.database,
		"CREATE DATABASE " + s.database + " CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
	} {
		if _, err := s.conn.query(q); err != nil {
			return fmt.Errorf("%s: %s: %w", s.server.Name, q, err)
		}
	}
	if err := s.connect(s.database); err != nil {
		return err
	}
	for _, t := range s.tables {
		if err := s.make(t); err != nil {
			return err
		}
	}
	return s.makeViews()
}

// makeViews creates the views; one that the server refuses is missing.
func (s *Session) makeViews() error {
	for _, v := range s.views {
		var refused *ServerError
		switch _, err := s.conn.query(v.create()); {
		case errors.As(err, &refused):
			s.missing[v.Name] = refused.Error()
		case err != nil:
			return fmt.Errorf("%s: %s: %w", s.server.Name, v.create(), err)
		}
	}
	return nil
}

// connect replaces the connection.
func (s *Session) connect(database string) error {
	if s.conn != nil {
		s.conn.close()
	}
	s.mode, s.bytes = "", 0
	var err error
	if s.conn, err = dialWire(s.server.addr(), database, 2*s.bound); err != nil {
		return err
	}
	settings := []string{"SET NAMES utf8mb4 COLLATE utf8mb4_general_ci", "SET time_zone = '+00:00'", fmt.Sprintf("SET timestamp = %d", sessionTime)}
	for _, q := range settings {
		if _, err := s.conn.query(q); err != nil {
			return fmt.Errorf("%s: %s: %w", s.server.Name, q, err)
		}
	}
	return nil
}

// make creates a table again, with its rows.
func (s *Session) make(t *Table) error {
	if s.server.sources != nil {
		return s.server.sources.makeTable(s, t)
	}
	if len(t.Members) > 0 {
		return s.makeFamily(t)
	}
	if err := s.setMode(""); err != nil {
		return err
	}
	if _, err := s.conn.query("DROP TABLE IF EXISTS " + t.Name); err != nil {
		return fmt.Errorf("%s: drop %s: %w", s.server.Name, t.Name, err)
	}
	var refused *ServerError
	switch _, err := s.conn.query(t.create()); {
	case errors.As(err, &refused):
		s.missing[t.Name] = refused.Error()
		return nil
	case err != nil:
		return fmt.Errorf("%s: %s: %w", s.server.Name, t.create(), err)
	}
	return s.fill(t)
}

func (s *Session) fill(t *Table) error {
	if err := s.setMode(""); err != nil || s.missing[t.Name] != "" || len(t.Rows) == 0 {
		return err
	}
	if err := s.setMemory(0); err != nil { // its rows are one statement
		return err
	}
	q := t.insert(t.Rows)
	if _, err := s.conn.query(q); err != nil {
		return fmt.Errorf("%s: %s: %w", s.server.Name, q, err)
	}
	return nil
}

// restore gives a table its rows back.
func (s *Session) restore(t *Table) error {
	if err := s.conn.deadline(6 * s.bound); err != nil {
		return err
	}
	if t.Counter || s.missing[t.Name] != "" {
		return s.make(t)
	}
	if len(t.Members) > 0 {
		return s.restoreFamily(t)
	}
	if err := s.setMode(""); err != nil {
		return err
	}
	if _, err := s.conn.query("DELETE FROM " + t.Name); err != nil {
		return s.make(t)
	}
	if err := s.fill(t); err != nil {
		return s.make(t)
	}
	now, err := s.conn.query(t.dump())
	if err != nil {
		return err
	}
	if !sameCells(s.asShown(t, now.Rows), s.before[t.Name]) { // a row that DELETE does not find
		s.remade++
		return s.make(t)
	}
	return nil
}

// noMode stands for an empty sql_mode where the field says that none was set yet.
const noMode = "none"

func (s *Session) setMode(mode string) error {
	if mode == "" {
		mode = noMode
	}
	if s.mode == mode {
		return nil
	}
	s.mode = mode
	value := mode
	if mode == noMode {
		value = ""
	}
	_, err := s.conn.query("SET sql_mode = '" + value + "'")
	return err
}

// setMemory bounds what a statement of Isochron holds; 0: the server's own bound.
func (s *Session) setMemory(bytes int64) error {
	if s.bytes == bytes {
		return nil
	}
	s.bytes = bytes
	_, err := s.conn.query(fmt.Sprintf("SET isochron_statement_memory = %d", bytes))
	return err
}

// run executes a statement and returns what came of it. An error is one of the run, not of the statement. A statement
// that lost its connection because the server has ended runs again: another may have ended it.
func (s *Session) run(st *Statement, prepared bool) (*Answer, error) {
	if s.path == exprPath {
		a := evaluate(st)
		slices.Sort(a.Warnings)
		return a, nil
	}
	life := s.life
	a, err := s.once(st, prepared)
	if err == nil && a.Lost != "" && s.life != life {
		return s.once(st, prepared)
	}
	return a, err
}

func (s *Session) once(st *Statement, prepared bool) (*Answer, error) {
	a, err := s.answer(st, prepared)
	if err == nil {
		return a, nil
	}
	var timeout net.Error
	a = &Answer{Lost: err.Error()}
	if errors.As(err, &timeout) && timeout.Timeout() {
		a = &Answer{TimedOut: true}
	}
	return a, s.recover(st, a)
}

// recover connects again after a connection was lost, and starts the server again if it has ended.
func (s *Session) recover(st *Statement, a *Answer) error {
	life, words, err := s.server.revive(s.life)
	if err != nil {
		return err
	}
	if words != "" {
		first, _, _ := strings.Cut(strings.TrimSpace(words), "\n")
		a.Lost += ": " + first
	}
	if life != s.life {
		s.life = life
		return s.load()
	}
	if err := s.connect(s.database); err != nil {
		return err
	}
	for _, t := range st.changed() {
		if err := s.make(t); err != nil {
			return err
		}
	}
	return nil
}

// answer executes a statement, and reads the table after it, and its warnings where its packets announce some: a client
// does not ask for others, and the list may be that of an earlier statement.
func (s *Session) answer(st *Statement, prepared bool) (*Answer, error) {
	if err := s.conn.deadline(s.bound); err != nil {
		return nil, err
	}
	if err := s.setMode(st.Mode); err != nil {
		return nil, err
	}
	if err := s.setMemory(s.memory); err != nil {
		return nil, err
	}
	a := &Answer{}
	var err error
	tree := st.Tree
	if s.server.Name == mariaName {
		tree = tree.forMaria()
	}
	if prepared {
		statement, args := tree.Prepared()
		if st.Index%2 == 1 { // half of them as clients do that put values into the text
			statement, args = tree.Text(), nil
		}
		a.Result, err = s.conn.execute(statement, args)
	} else {
		a.Result, err = s.conn.query(tree.Text())
	}
	if err != nil && !errors.As(err, &a.Err) {
		return nil, err
	}
	if a.Err == nil && a.Result.Warnings > 0 {
		if a.Warnings, err = s.warnings(); err != nil {
			return nil, err
		}
	}
	for _, t := range st.changed() {
		if s.missing[t.Name] != "" {
			continue
		}
		after, err := s.conn.query(t.dump())
		if err != nil {
			return nil, err
		}
		a.After = slices.Concat([][]Cell{}, a.After, s.asShown(t, after.Rows)) // not nil without rows
	}
	return a, nil
}

// asShown replaces the texts of values that the server shows otherwise than MariaDB by MariaDB's.
func (s *Session) asShown(t *Table, rows [][]Cell) [][]Cell {
	for _, row := range rows {
		for j, c := range row {
			if text, ok := s.shown[shownKey(t, j, c)]; ok {
				row[j] = Cell(text)
			}
		}
	}
	return rows
}

// learnShown compares the rows of a table that was just filled. The session's rows are kept as MariaDB shows them.
func (s *Session) learnShown(t *Table, got, want [][]Cell) {
	if len(got) != len(want) {
		return
	}
	for i, row := range got {
		for j, c := range row {
			if w := want[i][j]; c != nil && w != nil && string(c) != string(w) {
				s.shown[shownKey(t, j, c)] = string(w)
			}
		}
	}
	s.before[t.Name] = s.asShown(t, got)
}

func shownKey(t *Table, column int, c Cell) string {
	return fmt.Sprintf("%s.%d=%s", t.Name, column, c)
}

func (s *Session) warnings() (out []int, err error) {
	r, err := s.conn.query("SHOW WARNINGS")
	if err != nil {
		return nil, err
	}
	for _, row := range r.Rows {
		if len(row) > 1 {
			n, _ := strconv.Atoi(string(row[1])) // what is no number is 0, and differs
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out, nil
}

// sameCells reports whether two lists of rows are the same.
func sameCells(a, b [][]Cell) bool {
	return slices.EqualFunc(a, b, func(x, y []Cell) bool {
		return slices.EqualFunc(x, y, func(c, d Cell) bool { return string(c) == string(d) && (c == nil) == (d == nil) })
	})
}

func (s *Session) close() {
	if s.conn != nil {
		s.conn.close()
	}
}
