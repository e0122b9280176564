package agents

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"isochron/node"
	"isochron/routing"
	"isochron/server"
	"isochron/server/deploy"
	"isochron/server/peer"
	"isochron/source"
	isosql "isochron/sql"
	"isochron/txn"
)

// asNode makes the test binary be a node of a cluster; bugOfNode plants a bug in it.
const (
	asNode    = "ISOCHRON_TEST_AS_NODE" // its configuration
	bugOfNode = "ISOCHRON_TEST_BUG"
)

func TestMain(m *testing.M) {
	if config := os.Getenv(asNode); config != "" {
		if err := beNode(config); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	for _, s := range servers {
		s.Close()
	}
	os.Exit(code)
}

// params have short time-outs, so that losses are noticed soon.
func params() node.Params {
	p := node.Params{ElectionTimeout: 600 * time.Millisecond, ResendAfter: 150 * time.Millisecond, RecoverAfter: 700 * time.Millisecond,
		StatusQueryAfter: 500 * time.Millisecond, LockWait: 3 * time.Second, CommitWait: 10 * time.Second}
	p.InjectedBugs.VoteBeforePrepare = os.Getenv(bugOfNode) == "vote-before-prepare"
	return p
}

// beNode runs a node, and executes the commands from its standard input.
func beNode(config string) error {
	c, err := deploy.Read(config)
	if err != nil {
		return err
	}
	creds, err := peer.LoadCredentials(c.Cluster, c.Node, c.TLS.CA, c.TLS.Certificate, c.TLS.Key)
	if err != nil {
		return err
	}
	var stops stops
	cfg := server.MemberConfig{Cluster: c.Cluster, Self: c.Node, Dir: c.Data, Listen: c.PeerListen, Credentials: creds, Spec: c.Spec(), WAN: c.Map(), Emulate: c.AddDelays, Params: params(),
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	for _, n := range c.Nodes {
		cfg.Members = append(cfg.Members, server.Member{ID: n.ID, Region: n.Region, Address: n.Address, Gateway: n.Role == deploy.RoleGateway})
	}
	for _, s := range c.Sources {
		loaded, err := s.Load()
		if err != nil {
			return err
		}
		loaded.Wrap = func(d source.Driver) source.Driver { return weakened(s.Name, stopping{d, &stops}) }
		cfg.Sources = append(cfg.Sources, loaded)
	}
	p, err := server.StartProcess(cfg)
	if err != nil {
		return err
	}
	if err := p.AwaitReady(context.Background()); err != nil {
		return err
	}
	fmt.Println("ready")
	obey(c, p, &stops)
	return nil
}

// cut cuts the node off from all others, or heals that.
func cut(c *deploy.Config, p *server.Process, off bool) {
	change := server.LinkChange{Heal: !off}
	for _, n := range c.Nodes {
		if off && n.ID != c.Node {
			change.To, change.From = append(change.To, n.ID), append(change.From, n.ID)
		}
	}
	if err := p.ChangeLinks(change); err != nil {
		fmt.Println("not cut:", err)
		return
	}
	fmt.Println("cut", off)
}

// obey executes commands until there are no more.
func obey(c *deploy.Config, p *server.Process, stops *stops) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		switch word, arg, _ := strings.Cut(lines.Text(), " "); word {
		case "arm":
			stops.arm(arg)
			fmt.Println("armed")
		case "cut", "heal":
			cut(c, p, word == "cut")
		case "go":
			stops.release()
		case "door":
			fmt.Println("door", door(p.DB()))
		case "sources":
			n := 0
			for _, s := range p.DB().(txn.SourceCatalogue).Sources() {
				if _, err := p.DB().(txn.SourceCatalogue).DescribeSource(context.Background(), s.ID); err == nil {
					n++
				}
			}
			fmt.Println("sources", n)
		case "move":
			go func() { fmt.Println("moved", arg, move(p.DB(), arg)) }()
		case "moves":
			fmt.Println("moves", movesOfShard(p.DB(), arg))
		}
	}
}

// door opens a port for SQL clients, and prints its address.
func door(db txn.DB) string {
	s, err := isosql.NewServer(db, isosql.Config{})
	if err != nil {
		return "? " + err.Error()
	}
	return s.Addr().String()
}

// lastOfAMove marks the last statement of a move at a source, for the steps.
const lastOfAMove = 1234

// moveWait bounds a move.
const moveWait = 20 * time.Second

// move moves one unit from the first source to the second, under a number.
func move(db txn.DB, number string) string {
	ctx, stop := context.WithTimeout(context.Background(), moveWait)
	defer stop()
	tx := db.Begin(txn.Options{})
	defer tx.Rollback()
	var all []txn.SourceStatement
	for _, s := range db.(txn.SourceCatalogue).Sources() {
		sign := map[string]string{"pg": "-", "my": "+"}[s.Name]
		all = append(all,
			txn.SourceStatement{Source: s.ID, Statement: txn.Statement{Text: "UPDATE acct SET v = v " + sign + " 1 WHERE id = 1"}},
			txn.SourceStatement{Source: s.ID, Statement: txn.Statement{Text: "INSERT INTO moves VALUES (" + number + ")", MaxRows: lastOfAMove}})
	}
	tx.Put(moveKey(number), []byte("moved"))
	_, err := tx.(txn.Sources).Execute(ctx, all, true)
	if err == nil {
		err = tx.Commit(ctx)
	}
	var answered *txn.Error
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &answered) && answered.Kind == txn.KindUnknown:
		return "unknown: " + answered.Reason
	}
	return "no: " + err.Error()
}

func moveKey(number string) txn.Key { return txn.Key(routing.SystemKey("test/moves/" + number)) }

// movesOfShard are those up to a number that the shard has, as a list.
func movesOfShard(db txn.DB, upTo string) string {
	ctx, stop := context.WithTimeout(context.Background(), moveWait)
	defer stop()
	last, _ := strconv.Atoi(upTo)
	var r txn.Read
	for i := range last + 1 {
		r.Gets = append(r.Gets, moveKey(strconv.Itoa(i)))
	}
	tx := db.Begin(txn.Options{ReadOnly: true})
	defer tx.Rollback()
	res, err := tx.Read(ctx, r)
	if err != nil {
		return "? " + err.Error()
	}
	var out []string
	for i, v := range res.Values {
		if v != nil {
			out = append(out, strconv.Itoa(i))
		}
	}
	return strings.Join(out, ",")
}
