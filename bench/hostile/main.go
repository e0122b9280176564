package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"isochron/bench/command"
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

const usage = `A node with little memory under hostile clients, beside ordinary ones: is it alive, and what do
the ordinary ones notice?

  make bench-hostile                                     every hostile statement, five minutes
  make bench-hostile ARGS="--minutes 1 --nodes 3 --json" shorter, on three nodes, one JSON object
  make bench-hostile ARGS="--connects 100000"            connections without a login instead
  make bench-hostile ARGS="--sockets 5000"               idle connections instead`

func main() { command.Main("hostile", run) }

// parse reads the flags.
func parse(args []string, out io.Writer) (o options, err error) {
	f := command.NewFlags("hostile", usage)
	f.Float64Var(&o.minutes, "minutes", 5, "how long the attack is, and the quiet before it")
	f.Int64Var(&o.memoryMB, "memory-mb", 2048, "what the attacked node may have")
	f.IntVar(&o.nodes, "nodes", 1, "1, or 3 of which the first is attacked")
	f.IntVar(&o.ordinary, "ordinary", 16, "ordinary clients, over all nodes")
	f.IntVar(&o.attackers, "attackers", 8, "connections with hostile statements, half of them without any grant")
	f.IntVar(&o.connects, "connects", 0, "in place of statements: connect so often without a login")
	f.IntVar(&o.sockets, "sockets", 0, "in place of statements: so many idle connections that never log in")
	f.StringVar(&o.binary, "isochron", "bin/isochron", "the binary to run")
	f.Uint64Var(&o.seed, "seed", 0, "the attackers' choices follow from it; 0: another each time")
	f.BoolVar(&o.asJSON, "json", false, "print one JSON object at the end and nothing else")
	if err = f.Parse(args, out); err != nil {
		return o, err
	}
	if o.nodes != 1 && o.nodes != 3 || o.minutes <= 0 || o.memoryMB < 256 || o.ordinary < 1 || o.attackers < 1 {
		return o, command.Usagef("give 1 or 3 --nodes, --minutes above 0, at least 256 --memory-mb, and some --ordinary clients and --attackers")
	}
	if o.seed == 0 {
		o.seed = rand.Uint64N(1 << 40)
	}
	o.binary, err = filepath.Abs(o.binary)
	return o, err
}

// run is the whole command.
func run(ctx context.Context, args []string, out, words io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	scratch, err := command.NewScratch("hostile")
	if err != nil {
		return err
	}
	b, err := start(ctx, scratch.Dir, o, command.Print(words, o.asJSON))
	if err == nil {
		err = b.do(ctx)
	}
	err = errors.Join(err, b.close())
	err = errors.Join(err, command.Report(out, o.asJSON, b.report))
	if len(b.report.Broken) > 0 {
		scratch.Keep()
		err = errors.Join(fmt.Errorf("the node broke its promises: %s", strings.Join(b.report.Broken, "; ")), err)
	}
	if err != nil {
		err = fmt.Errorf("%w (seed %d)", err, o.seed)
	}
	return scratch.Leave(ctx, err)
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

// report is the result.
type report struct {
	Memory     string        `json:"memory"` // how it was bounded
	MemoryMB   int64         `json:"memory_mb"`
	Seconds    float64       `json:"seconds"` // of each part
	Alive      bool          `json:"alive"`
	PeakMB     float64       `json:"peak_resident_mb"`
	Idle       *ordinary     `json:"idle,omitempty"`   // ordinary clients alone
	Ordinary   *ordinary     `json:"beside,omitempty"` // and beside the attack
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
