package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// options are the flags.
type options struct {
	minutes   float64
	memoryMB  int64
	nodes     int
	ordinary  int
	attackers int
	connects  int
	sockets   int
	binary    string
	seed      uint64
	asJSON    bool
}

func main() {
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, restore)
	if err := run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "hostile: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var o options
	flag.Float64Var(&o.minutes, "minutes", 5, "how long the attack is, and the quiet before it")
	flag.Int64Var(&o.memoryMB, "memory-mb", 2048, "what the attacked node may have")
	flag.IntVar(&o.nodes, "nodes", 1, "1, or 3 of which the first is attacked")
	flag.IntVar(&o.ordinary, "ordinary", 16, "ordinary clients, over all nodes")
	flag.IntVar(&o.attackers, "attackers", 8, "connections with hostile statements, half of them without any grant")
	flag.IntVar(&o.connects, "connects", 0, "in place of statements: connect so often without a login")
	flag.IntVar(&o.sockets, "sockets", 0, "in place of statements: so many idle connections that never log in")
	flag.StringVar(&o.binary, "isochron", "bin/isochron", "the binary to run")
	flag.Uint64Var(&o.seed, "seed", 0, "the attackers' choices follow from it; 0: another each time")
	flag.BoolVar(&o.asJSON, "json", false, "print one JSON object at the end and nothing else")
	flag.Parse()
	if o.nodes != 1 && o.nodes != 3 || o.minutes <= 0 || o.memoryMB < 256 || o.ordinary < 1 || o.attackers < 1 {
		return errors.New("give 1 or 3 --nodes, --minutes above 0, at least 256 --memory-mb, and some --ordinary clients and --attackers")
	}
	if o.seed == 0 {
		o.seed = rand.Uint64N(1 << 40)
	}
	var err error
	if o.binary, err = filepath.Abs(o.binary); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "isochron-hostile-")
	if err != nil {
		return err
	}
	say := func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
	if o.asJSON {
		say = func(string, ...any) {}
	}
	b, err := start(ctx, dir, o, say)
	if err == nil {
		err = b.do(ctx)
	}
	err = errors.Join(err, b.close())
	if o.asJSON {
		err = errors.Join(err, json.NewEncoder(os.Stdout).Encode(b.report))
	} else {
		b.report.Print(os.Stdout)
	}
	if err == nil && len(b.report.Broken) > 0 {
		err = fmt.Errorf("the node broke its promises: %s", strings.Join(b.report.Broken, "; "))
	}
	if err != nil {
		return fmt.Errorf("%w (seed %d; the logs are in %s)", err, o.seed, dir)
	}
	return os.RemoveAll(dir)
}

// do runs what the flags ask for.
func (b *bench) do(ctx context.Context) error {
	if b.connects == 0 && b.sockets == 0 {
		return b.statements(ctx)
	}
	if b.connects > 0 {
		if err := b.knock(ctx); err != nil {
			return err
		}
	}
	if b.sockets > 0 {
		return b.crowd(ctx)
	}
	return nil
}

// report is what came of it.
type report struct {
	Memory     string        `json:"memory"` // how it was bounded
	MemoryMB   int64         `json:"memory_mb"`
	Seconds    float64       `json:"seconds"` // of each part
	Alive      bool          `json:"alive"`
	PeakMB     float64       `json:"peak_resident_mb"`
	Idle       *ordinary     `json:"idle,omitempty"`   // ordinary clients alone
	Beside     *ordinary     `json:"beside,omitempty"` // and beside the attack
	Statements []*tried      `json:"statements,omitempty"`
	Knocks     int64         `json:"knocks,omitempty"` // connections without a login, beside the statements
	Doors      *doorsReport  `json:"connects,omitempty"`
	Crowd      *crowdReport  `json:"sockets,omitempty"`
	Broken     []string      `json:"broken"`
	Seed       uint64        `json:"seed"`
	phase      time.Duration // of each part
}

func (r *report) broken(format string, args ...any) {
	r.Broken = append(r.Broken, fmt.Sprintf(format, args...))
}

// Print is for people.
func (r *report) Print(out io.Writer) {
	fmt.Fprintf(out, "\nalive: %v   memory: %d MB by %s   largest resident set: %.0f MB   seed %d\n", r.Alive, r.MemoryMB, r.Memory, r.PeakMB, r.Seed)
	r.printStatements(out)
	r.Doors.print(out)
	r.Crowd.print(out)
	for _, b := range r.Broken {
		fmt.Fprintln(out, "BROKEN:", b)
	}
}
