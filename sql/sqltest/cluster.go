package sqltest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"isochron/geo"
	"isochron/routing"
	"isochron/txn"
)

// Cluster is the state that all gateways share.
type Cluster struct {
	mu    sync.Mutex
	keys  []txn.Key // sorted; deleted rows keep their key
	rows  map[txn.Key]row
	locks map[txn.Key]*lock
	open  map[txn.ID]*Txn
	seq   uint64
	dir   *routing.Directory

	sources []*Source

	// BeforeCommit, if set, runs before a commit is validated; the commit returns its error.
	BeforeCommit func(*Txn) error
	// BeforeRead, if set, runs before a read, which returns its error. The transaction can then
	// only be rolled back, unless the error's kind leaves it open.
	BeforeRead func(*Txn, txn.Read) error
	// BeforeExecute, if set, receives every round of statements for sources, and whether it commits
	// the transaction.
	BeforeExecute func(t *Txn, statements []txn.SourceStatement, last, commits bool)
	// MaxWrites, if set, bounds the writes of a transaction.
	MaxWrites int
	// OnBegin, if set, receives every transaction.
	OnBegin func(txn.Options)
	// RefuseUsing, if set, is called first; the gateway gets its error.
	RefuseUsing func() error
	// OnUsing, if set, is called when a gateway has requested the users of a table.
	OnUsing func()
}

type row struct {
	value   []byte // nil: deleted
	version txn.Version
}

type lock struct {
	exclusive txn.ID
	shared    map[txn.ID]bool
}

// NewCluster has one node in each region and a directory with the meta shard.
func NewCluster(regions ...string) *Cluster {
	c := &Cluster{rows: map[txn.Key]row{}, locks: map[txn.Key]*lock{}, open: map[txn.ID]*Txn{}}
	dir := &routing.Directory{Epoch: 1}
	var nodes []uint32
	for i, r := range regions {
		dir.Nodes = append(dir.Nodes, routing.Node{ID: uint32(i + 1), Region: r})
		nodes = append(nodes, uint32(i+1))
	}
	dir.Shards = []routing.Shard{{ID: 1, Replicas: nodes, Leader: regions[0]}}
	c.dir = dir
	c.put(txn.Key(routing.DirectoryKey), dir.Encode(), c.next())
	return c
}

func (c *Cluster) next() txn.Version {
	c.seq++
	return txn.Version{Node: 1, Epoch: 1, Seq: c.seq}
}

func (c *Cluster) put(key txn.Key, value []byte, v txn.Version) {
	if i, ok := slices.BinarySearch(c.keys, key); !ok {
		c.keys = slices.Insert(c.keys, i, key)
	}
	c.rows[key] = row{value, v}
	if string(key) == routing.DirectoryKey {
		if dir, err := routing.Decode(value); err == nil {
			c.dir = dir
		}
	}
}

// scan is the committed rows of a span, in key order, the deleted ones left out.
func (c *Cluster) scan(s txn.Span) []txn.Key {
	lo, _ := slices.BinarySearch(c.keys, s.Start)
	hi, _ := slices.BinarySearch(c.keys, s.End)
	var out []txn.Key
	for _, k := range c.keys[lo:max(lo, hi)] {
		if c.rows[k].value != nil {
			out = append(out, k)
		}
	}
	return out
}

// Gateway is the cluster as seen from a region.
func (c *Cluster) Gateway(region string) *Gateway {
	return &Gateway{c: c, region: geo.Region(region)}
}

// Gateway implements txn.DB.
type Gateway struct {
	c      *Cluster
	region geo.Region
	frozen map[txn.Key]row // what its replica shows if it lags
	old    *routing.Directory
}

var _ txn.DB = (*Gateway)(nil)

// Begin implements txn.DB.
func (g *Gateway) Begin(opt txn.Options) txn.Txn {
	if g.c.OnBegin != nil {
		g.c.OnBegin(opt)
	}
	g.c.mu.Lock()
	defer g.c.mu.Unlock()
	g.c.seq++
	t := &Txn{
		g: g, opt: opt, id: txn.ID{Node: 1, Epoch: 1, Seq: g.c.seq},
		read: map[txn.Key]row{}, writes: map[txn.Key][]byte{}, guards: map[string]txn.Version{},
		touched: map[uint64]bool{}, locked: map[txn.Key]bool{},
	}
	g.c.open[t.id] = t
	return t
}

// Using implements txn.Users.
func (g *Gateway) Using(_ context.Context, guards []string) (out []txn.User, _ error) {
	if g.c.RefuseUsing != nil {
		if err := g.c.RefuseUsing(); err != nil {
			return nil, err
		}
	}
	if g.c.OnUsing != nil {
		defer g.c.OnUsing()
	}
	g.c.mu.Lock()
	defer g.c.mu.Unlock()
	for id, t := range g.c.open {
		for _, name := range guards {
			if _, has := t.guards[name]; has {
				out = append(out, txn.User{Txn: id, SessionID: t.opt.SessionID})
				break
			}
		}
	}
	slices.SortFunc(out, func(a, b txn.User) int { return cmp.Compare(a.Txn.Seq, b.Txn.Seq) })
	return out, nil
}

// Directory implements txn.DB.
func (g *Gateway) Directory() *routing.Directory {
	g.c.mu.Lock()
	defer g.c.mu.Unlock()
	if g.old != nil {
		return g.old
	}
	return g.c.dir
}

// Known implements txn.Users.
func (g *Gateway) Known(context.Context) (txn.ContentionReport, error) {
	g.c.mu.Lock()
	defer g.c.mu.Unlock()
	out := &txn.ContentionReply{}
	for id, t := range g.c.open {
		if t.opt.SessionID != 0 {
			out.Known = append(out.Known, txn.Known{Txn: id, SessionID: t.opt.SessionID})
		}
	}
	return txn.ContentionReport{Nodes: map[txn.NodeID]*txn.ContentionReply{1: out}}, nil
}

// Region implements txn.DB.
func (g *Gateway) Region() geo.Region { return g.region }

// ReadLocal implements txn.DB.
func (g *Gateway) ReadLocal(key txn.Key) ([]byte, txn.Version, bool) {
	g.c.mu.Lock()
	defer g.c.mu.Unlock()
	r := g.c.rows[key]
	if g.frozen != nil {
		r = g.frozen[key]
	}
	return r.value, r.version, true
}

// Lag makes the gateway's replica show the present rows until it is switched off.
func (g *Gateway) Lag(on bool) {
	g.c.mu.Lock()
	defer g.c.mu.Unlock()
	g.frozen, g.old = nil, nil
	if on {
		g.frozen, g.old = maps.Clone(g.c.rows), g.c.dir
	}
}

// Held returns the number of locked keys: a test that ends with some has leaked a transaction.
func (c *Cluster) Held() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, l := range c.locks {
		if !l.exclusive.IsZero() || len(l.shared) > 0 {
			n++
		}
	}
	return n
}

// Keys returns the number of rows under a prefix.
func (c *Cluster) Keys(prefix string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, k := range c.keys {
		if strings.HasPrefix(string(k), prefix) && c.rows[k].value != nil {
			n++
		}
	}
	return n
}
