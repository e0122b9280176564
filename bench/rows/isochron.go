package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/bench/process"
	"isochron/server/ports"
	"isochron/test/faults"
)

// server is something that SQL clients can come to.
type server struct {
	addresses []string // host:port or a socket, one for each region; the first is at home
	password  string   // of root
	stop      func() error
}

// system makes servers of one row on data directories.
type system interface {
	// loading starts a server that is as quick as can be, to fill a new directory or to continue;
	// its data can be cloned when it has stopped.
	loading(ctx context.Context, dir string) (*server, error)
	// start starts a server with the delays of its site.
	start(ctx context.Context, dir string) (*server, error)
	// clone makes a directory of this row from one that was filled, perhaps by another.
	clone(from, to string) error
}

// isochron is one row of the table at one site.
type isochron struct {
	program, spec string
	site          site
}

func (i isochron) loading(ctx context.Context, dir string) (*server, error) {
	if i.site.wan == "" {
		return i.node(ctx, dir)
	}
	return i.demo(ctx, dir, 0)
}

func (i isochron) start(ctx context.Context, dir string) (*server, error) {
	if i.site.wan == "" {
		return i.node(ctx, dir)
	}
	return i.demo(ctx, dir, i.site.scale)
}

// demo starts all regions in one process.
func (i isochron) demo(ctx context.Context, dir string, scale float64) (*server, error) {
	n, err := i.site.regions()
	if err != nil {
		return nil, err
	}
	port, err := portsInRow(n)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	p, err := process.Spawn(dir+".log", "", i.program, "demo", "--load", "none", "--wan", i.site.wan, "--wan-scale", fmt.Sprint(scale),
		"--protocol", i.spec, "--data", filepath.Join(dir, "cluster"), "--port", fmt.Sprint(port))
	if err != nil {
		return nil, err
	}
	s := &server{stop: func() error { p.End(syscall.SIGINT); return nil }}
	for r := range n {
		s.addresses = append(s.addresses, fmt.Sprintf("127.0.0.1:%d", port+r))
	}
	return s, s.ready(ctx, p, i.spec)
}

// node starts one node as init makes it.
func (i isochron) node(ctx context.Context, dir string) (*server, error) {
	files := filepath.Join(dir, "c")
	if _, err := os.Stat(files); err != nil {
		base, err := faults.FreePorts(1)
		if err != nil {
			return nil, err
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		_, err = output(ctx, time.Minute, nil, i.program, "init", "--dir", files, "--regions", "here", "--base-port", fmt.Sprint(base), "--protocol", i.spec)
		if err != nil {
			return nil, err
		}
	}
	config := filepath.Join(files, "node1.yaml")
	address, password, err := process.Door(files, config)
	if err != nil {
		return nil, err
	}
	p, err := process.Spawn(dir+".log", "", i.program, "start", "--config", config)
	if err != nil {
		return nil, err
	}
	s := &server{addresses: []string{address}, password: password, stop: func() error { p.End(syscall.SIGTERM); return nil }}
	return s, s.ready(ctx, p, i.spec)
}

// ready waits until SQL clients may come to all addresses; else the server is stopped.
func (s *server) ready(ctx context.Context, p *process.Process, name string) error {
	for _, a := range s.addresses {
		err := p.Await(ctx, name, func(ctx context.Context) error { return s.query(ctx, a, "SELECT 1") })
		if err != nil {
			return errors.Join(err, s.stop())
		}
	}
	return nil
}

// open is a connection as root, without a database.
func (s *server) open(address string) (*sql.DB, error) {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.Timeout, cfg.Logger = "root", s.password, "tcp", address, 5*time.Second, &mysql.NopLogger{}
	if strings.Contains(address, "/") {
		cfg.Net = "unix"
	}
	c, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(c), nil
}

// query runs one statement for its effect.
func (s *server) query(ctx context.Context, address, text string) error {
	db, err := s.open(address)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, text)
	return errors.Join(err, db.Close())
}

// want is an error unless a variable has a value.
func (s *server) want(ctx context.Context, address, text, value string) error {
	db, err := s.open(address)
	if err != nil {
		return err
	}
	var name, have string
	err = db.QueryRowContext(ctx, text).Scan(&name, &have)
	if err == nil && have != value {
		err = fmt.Errorf("%s is %s, not %s", name, have, value)
	}
	return errors.Join(err, db.Close())
}

// clone copies a cluster that has come to rest and puts the row's name into the copy:
// nothing else on disk is of a row when every transaction has been decided. Tables that
// are never written again are shared with the original.
func (i isochron) clone(from, to string) error {
	if err := copyTree(from, to, func(path string) bool { return strings.HasSuffix(path, ".sst") }); err != nil {
		return err
	}
	return filepath.WalkDir(to, func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, protocolLine.ReplaceAll(text, []byte("protocol: "+i.spec)), 0o600)
	})
}

// protocolLine names the row in the files of a cluster and of its nodes.
var protocolLine = regexp.MustCompile(`(?m)^protocol:.*$`)

// copyTree copies a directory; files selected by share become links to the same content.
func copyTree(from, to string, share func(path string) bool) error {
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(target, 0o700)
		case !d.Type().IsRegular():
			return nil // a socket
		case share(path):
			return os.Link(path, target)
		}
		out, err := exec.Command("cp", "--preserve=mode,ownership", path, target).CombinedOutput()
		if err != nil {
			return fmt.Errorf("cp %s: %w: %s", path, err, out)
		}
		return nil
	})
}

// portsInRow is the first of n free ports that follow each other.
func portsInRow(n int) (int, error) {
	c, err := ports.Take(n)
	if err != nil {
		return 0, err
	}
	return c.Base, nil
}
