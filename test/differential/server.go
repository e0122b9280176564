package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"isochron/server/sourcedb/sourcetest"
	"isochron/sql"
	"isochron/sql/sqltest"
)

// MariaDBOptions are the settings of the yardstick, beyond those that sourcetest gives every server.
var MariaDBOptions = []string{
	"--character-set-server=utf8mb4", "--collation-server=utf8mb4_general_ci", "--default-time-zone=+00:00", "--max-error-count=1024",
	"--innodb-flush-log-at-trx-commit=0", "--innodb-flush-method=nosync", "--innodb-doublewrite=0", "--sync-frm=0", "--explicit-defaults-for-timestamp=1",
	"--group-concat-max-len=1024", "--div-precision-increment=4", "--innodb-lock-wait-timeout=2", "--max-allowed-packet=64M", "--lower-case-table-names=0",
	// Plain plans: a table of the rows of a subquery compares them by the types of its own columns.
	"--optimizer-switch=materialization=off,semijoin=off,derived_merge=off,derived_with_keys=off,condition_pushdown_for_derived=off,split_materialized=off,exists_to_in=off,condition_pushdown_from_having=off,condition_pushdown_for_subquery=off,subquery_cache=off",
}

// mariaName is the name of the yardstick.
const mariaName = "mariadb"

// serveArgument makes this program a server of Isochron: the child process of a run. Behind it are from how many bytes
// on operators spill, and the URLs of sources, if tables are in some.
const serveArgument = "serve"

// serve is a one-node Isochron on the reference cluster, until the standard input ends.
func serve(spillFrom, urls string, out io.Writer) error {
	share, err := strconv.ParseInt(spillFrom, 10, 64)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "differential-spill")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	config := sql.Config{Memory: sql.Memory{Statements: 512 << 20}, SpillDir: dir, SpillShare: share}
	if urls != "" {
		return serveSources(strings.Split(urls, ","), config, func(addr string) {
			fmt.Fprintln(out, addr)
			_, _ = io.Copy(io.Discard, os.Stdin) // it ends with the parent
		})
	}
	s, err := sql.NewServer(sqltest.NewCluster("va").Gateway("va"), config)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, s.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin) // it ends with the parent
	return s.Close()
}

// Server is one of the two servers.
type Server struct {
	Name    string
	address string

	// Of an Isochron that is a child of this process:
	mu      sync.Mutex
	child   *exec.Cmd
	stdin   io.Closer
	life    int // how often it was started
	stderr  *firstWords
	ctx     context.Context
	restart func() error

	spillFrom int64
	sources   sources // its tables are in them; nil: they are its own
}

// addr is where the server listens: a child that is started again has another port.
func (s *Server) addr() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.address
}

// startChild starts Isochron in a child process whose operators spill from so many bytes on; 0: the default.
func startChild(ctx context.Context, spillFrom int64, of sources) (*Server, error) {
	s := &Server{Name: "isochron", ctx: ctx, spillFrom: spillFrom, sources: of}
	s.restart = s.spawn
	return s, s.spawn()
}

// spawn starts the child, which prints its address.
func (s *Server) spawn() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	s.stderr = &firstWords{}
	args := []string{serveArgument, strconv.FormatInt(s.spillFrom, 10)}
	if s.sources != nil {
		args = append(args, s.sources.argument())
	}
	cmd := exec.CommandContext(s.ctx, self, args...)
	cmd.Stderr = s.stderr
	if s.stdin, err = cmd.StdinPipe(); err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		_ = cmd.Wait() // its error is on its standard error
		return fmt.Errorf("isochron did not start: %s", s.stderr)
	}
	s.child, s.address = cmd, strings.TrimSpace(line)
	s.life++
	return nil
}

// startsMax bounds how often a child that crashes is started.
const startsMax = 200

// revive starts the child again if it has ended since the life given; it returns the present life and what the dead
// one wrote last.
func (s *Server) revive(life int) (int, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.child == nil || s.life != life {
		return s.life, "", nil
	}
	time.Sleep(20 * time.Millisecond) // it may be about to end
	if c, err := dialWire(s.address, "", 5*time.Second); err == nil {
		c.close()
		return s.life, "", nil
	}
	s.stop()
	words := s.stderr.String()
	if s.life >= startsMax {
		return s.life, words, fmt.Errorf("isochron has ended %d times", s.life)
	}
	err := s.restart()
	return s.life, words, err
}

func (s *Server) stop() {
	_ = s.stdin.Close()
	_ = s.child.Process.Kill()
	_ = s.child.Wait()
}

// Close ends the child.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.child != nil {
		s.stop()
	}
}

// startMariaDB starts the yardstick, or takes the one at an address.
func startMariaDB(address string) (s *Server, stop func(), err error) {
	if address != "" {
		return &Server{Name: mariaName, address: address}, func() {}, nil
	}
	m, err := sourcetest.MariaDB(MariaDBOptions...)
	if err != nil {
		return nil, nil, err
	}
	return &Server{Name: mariaName, address: m.Addr()}, m.Close, nil
}

// firstWords keeps the first bytes of what is written: how a Go program ended stands at the beginning.
type firstWords struct {
	mu sync.Mutex
	b  []byte
}

func (t *firstWords) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p[:min(len(p), max(0, 4096-len(t.b)))]...)
	return len(p), nil
}

func (t *firstWords) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.b)
}
