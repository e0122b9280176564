package power

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"isochron/geo"
	"isochron/protocol"
	"isochron/server/deploy"
	"isochron/server/disk"
	"isochron/server/ports"
)

var flips = flag.Int("power.flips", 1, "how many bits of each kind of file of a node are flipped, one at a time")

// flipRows are acknowledged before anything is damaged.
const flipRows = 60

// readyWait bounds a start with a flipped bit: one that is not ready then serves no client.
const readyWait = 8 * time.Second

// Whichever bit of whichever file of a stopped node is flipped: it does not start, or serves no client,
// or has all rows that were acknowledged; and so have the others.
func TestFlippedFiles(t *testing.T) {
	for _, nodes := range []int{1, 3} {
		t.Run(fmt.Sprintf("nodes %d", nodes), func(t *testing.T) {
			f := flippingOf(t, nodes)
			if rows, err := f.try(); rows != flipRows || err != nil {
				t.Fatalf("undamaged it serves %d of %d rows: %v", rows, flipRows, err)
			}
			f.restore()
			r := rand.New(rand.NewPCG(*seed, uint64(nodes)))
			for _, kind := range f.kinds() {
				refused, served, tried := 0, 0, 0
				for range *flips {
					name, at, ok := f.flip(kind, r)
					if !ok {
						continue
					}
					tried++
					rows, err := f.try()
					switch {
					case err != nil:
						refused++
						if strings.Contains(err.Error(), "in use") {
							t.Errorf("%s, bit %d flipped: %v", name, at, err)
						}
					case rows != flipRows:
						t.Errorf("%s, bit %d flipped: it serves %d of %d rows", name, at, rows, flipRows)
					default:
						served++
					}
					if rows, err := f.others(); err != nil || rows != flipRows {
						t.Fatalf("%s, bit %d flipped: the others have %d of %d rows: %v", name, at, rows, flipRows, err)
					}
					f.restore()
				}
				t.Logf("%-24s %3d bits flipped: %3d refused, %3d served with all rows", kind, tried, refused, served)
			}
		})
	}
}

// flipping is a cluster whose last node is stopped, and what that node left.
type flipping struct {
	t        *testing.T
	dir      string // of the cluster
	left     string // what the last node left, as it was
	shared   string // files that are not only the last node's
	config   string // of that node
	members  []*member
	password string
}

// flippingOf makes a cluster of so many nodes, with rows, and takes what its last node has on its disk
// in the midst of it.
func flippingOf(t *testing.T, nodes int) *flipping {
	t.Helper()
	f := &flipping{t: t, dir: filepath.Join(t.TempDir(), "c"), left: t.TempDir(), shared: t.TempDir()}
	p := deploy.Plan{Dir: f.dir, NodesPerRegion: 1, Host: "127.0.0.1", Protocol: protocol.Default}
	for i := range nodes {
		p.Regions = append(p.Regions, geo.Region(fmt.Sprintf("r%d", i+1)))
	}
	claimed, err := ports.Take(nodes, 100, 200)
	f.must(err)
	p.BasePort = claimed.Base
	_, err = deploy.Write(p)
	f.must(err)
	ctx, cancel := context.WithTimeout(context.Background(), startWait)
	defer cancel()
	for i := range nodes {
		f.config = filepath.Join(f.dir, fmt.Sprintf("node%d.yaml", i+1))
		n, err := startOn(disk.Machine(), f.config)
		f.must(err)
		f.members = append(f.members, n)
	}
	t.Cleanup(func() {
		for _, n := range f.members {
			f.must(end(n))
		}
	})
	for _, n := range f.members {
		f.must(n.core.AwaitReady(ctx))
		f.must(n.serve())
	}
	b, err := os.ReadFile(filepath.Join(f.dir, "root.password"))
	f.must(err)
	f.password = strings.TrimSpace(string(b))
	db := f.connect(f.members[0])
	defer func() { _ = db.Close() }()
	f.exec(db, "CREATE DATABASE d")
	f.exec(db, "CREATE TABLE d.t (id INT PRIMARY KEY, v VARCHAR(4000) NOT NULL)")
	for i := range flipRows {
		if i == flipRows/2 {
			f.again(ctx) // so that it has tables, and a log
			if nodes == 1 {
				f.must(db.Close())
				db = f.connect(f.members[0])
			}
		}
		f.exec(db, fmt.Sprintf("INSERT INTO d.t VALUES (%d, '%s')", i, strings.Repeat(fmt.Sprintf("%04d", i), 700)))
	}
	last := f.members[nodes-1]
	time.Sleep(3 * params.HeartbeatInterval) // it has all that was committed
	f.take(f.own())
	f.members = f.members[:nodes-1]
	f.must(end(last))
	entries, err := os.ReadDir(f.dir)
	f.must(err)
	for _, e := range entries {
		if !e.IsDir() && !slices.Contains(f.own(), e.Name()) {
			f.must(copyFile(filepath.Join(f.dir, e.Name()), filepath.Join(f.shared, e.Name())))
		}
	}
	f.dir = filepath.Join(t.TempDir(), "none yet") // the others go on in theirs
	f.restore()
	return f
}

// again ends the last node and starts it.
func (f *flipping) again(ctx context.Context) {
	f.t.Helper()
	last := len(f.members) - 1
	f.must(end(f.members[last]))
	n, err := startOn(disk.Machine(), f.config)
	f.must(err)
	f.members[last] = n
	f.must(n.core.AwaitReady(ctx))
	f.must(n.serve())
}

func (f *flipping) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// exec does a statement that does not commit twice, until no error asks for another try.
func (f *flipping) exec(db *sql.DB, statement string) {
	f.t.Helper()
	var err error
	for range 20 {
		if _, err = db.Exec(statement); err == nil || strings.Contains(err.Error(), "1062") {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	f.must(err)
}

func (f *flipping) connect(n *member) *sql.DB {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.Passwd, cfg.Logger = "root", "tcp", n.config.SQLListen, f.password, &mysql.NopLogger{}
	cfg.ReadTimeout = readyWait
	conn, err := mysql.NewConnector(cfg)
	f.must(err)
	return sql.OpenDB(conn)
}

// own are the names of what belongs to the last node, in the directory of the cluster.
func (f *flipping) own() (names []string) {
	node := strings.TrimSuffix(filepath.Base(f.config), ".yaml")
	number := strings.TrimPrefix(node, "node")
	return []string{node, node + ".yaml", node + ".crt", node + ".key", "sql" + number + ".crt", "sql" + number + ".key"}
}

// take takes what the last node has on its disk.
func (f *flipping) take(names []string) {
	for _, name := range names {
		from, to := filepath.Join(f.dir, name), filepath.Join(f.left, name)
		info, err := os.Stat(from)
		f.must(err)
		if !info.IsDir() {
			f.must(copyFile(from, to))
			continue
		}
		f.takeStill(from, to)
	}
}

// takeStill copies a node's directory while nothing is synced in it.
func (f *flipping) takeStill(from, to string) {
	marks := filepath.Join(from, "data", "SYNCED")
	for range 100 {
		before, err := os.ReadFile(marks)
		f.must(err)
		f.must(os.RemoveAll(to))
		err = os.CopyFS(to, os.DirFS(from))
		after, readErr := os.ReadFile(marks)
		f.must(readErr)
		if err == nil && bytes.Equal(before, after) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	f.t.Fatal("the node is never still")
}

// restore restores its files in a directory of its own: a node that has failed to open may still
// have its files open, until its process ends.
func (f *flipping) restore() {
	_ = os.RemoveAll(f.dir)
	f.dir = filepath.Join(f.t.TempDir(), "c")
	f.must(os.CopyFS(f.dir, os.DirFS(f.shared)))
	f.must(os.CopyFS(f.dir, os.DirFS(f.left)))
	f.config = filepath.Join(f.dir, filepath.Base(f.config))
	entries, err := os.ReadDir(f.dir)
	f.must(err)
	for _, e := range entries {
		if !e.IsDir() { // secrets are refused that others may read
			f.must(os.Chmod(filepath.Join(f.dir, e.Name()), 0o600))
		}
	}
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o600)
}

// kinds are patterns of the files of a node.
func (f *flipping) kinds() []string {
	own := f.own()
	return append([]string{
		own[0] + "/data/*.log", own[0] + "/data/*.sst", own[0] + "/data/MANIFEST-*", own[0] + "/data/OPTIONS-*",
		own[0] + "/data/SYNCED", own[0] + "/node.yaml", own[0] + "/lives.yaml"}, own[1:]...)
}

// flip flips one bit of a file of a kind; false: there is none with anything in it.
func (f *flipping) flip(kind string, r *rand.Rand) (name string, at int, ok bool) {
	paths, err := filepath.Glob(filepath.Join(f.dir, kind))
	f.must(err)
	for _, i := range r.Perm(len(paths)) {
		b, err := os.ReadFile(paths[i])
		f.must(err)
		written := len(strings.TrimRight(string(b), "\x00"))
		if written == 0 {
			continue
		}
		at = r.IntN(8 * written)
		b[at/8] ^= 1 << (at % 8)
		f.must(os.WriteFile(paths[i], b, 0o600))
		return filepath.Base(paths[i]), at, true
	}
	return "", 0, false
}

// try starts the node as it is and counts the rows that it serves. The error means that it does not
// serve.
func (f *flipping) try() (rows int, err error) {
	n, err := startOn(disk.Machine(), f.config)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err == nil && rows == flipRows {
			f.take(f.own()[:1]) // it has been started once more: its earlier files are too old for the others
		}
		err = errors.Join(err, end(n))
	}()
	ctx, cancel := context.WithTimeout(context.Background(), readyWait)
	defer cancel()
	if err := n.core.AwaitReady(ctx); err != nil {
		return 0, err
	}
	if err := n.serve(); err != nil {
		return 0, err
	}
	return f.count(n)
}

func (f *flipping) count(n *member) (rows int, err error) {
	db := f.connect(n)
	defer db.Close()
	for range 10 {
		if err = db.QueryRow("SELECT COUNT(*) FROM d.t WHERE LENGTH(v) = 2800").Scan(&rows); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return rows, err
}

// others counts the rows at another node.
func (f *flipping) others() (int, error) {
	if len(f.members) == 0 {
		return flipRows, nil
	}
	return f.count(f.members[0])
}

// end stops a node.
func end(n *member) error {
	var err error
	if n.port != nil {
		err = n.port.Close()
	}
	return errors.Join(err, n.core.Close())
}
