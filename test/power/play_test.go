package power

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"isochron/server/deploy"
	"isochron/server/disk/disktest"
)

// play is one story: a cluster is made and started, and loses its power a few times
// under load.
type play struct {
	dir   string // empty, and only the play's
	nodes int
	cuts  int
	keep  []disktest.Keep // of the cuts, in turns
	at    []cutTime       // of the cuts, in turns
	seed  uint64
	lie   disktest.Lie // of the first disk
}

// cutTime chooses where the power is cut: at the step that it returns true for. It is asked
// of each step from when the clients work.
type cutTime struct {
	name string
	at   func(r *rand.Rand) func(disktest.Step) bool
}

// cutTimes are the chosen ones, and chance.
var cutTimes = []cutTime{
	{"before a sync of the log", func(r *rand.Rand) func(disktest.Step) bool { return logSync(r) }},
	{"at any step", func(r *rand.Rand) func(disktest.Step) bool { return steps(stepsMin + r.IntN(stepsMore)) }},
	{"after a sync of the log", func(r *rand.Rand) func(disktest.Step) bool {
		sync, synced := logSync(r), false
		return func(s disktest.Step) bool {
			if synced {
				return true
			}
			synced = sync(s)
			return false
		}
	}},
}

// The clients commit something first, and the power is cut soon.
const (
	stepsMin  = 60
	stepsMore = 400
)

// steps is true from the step with this number on.
func steps(n int) func(disktest.Step) bool {
	return func(disktest.Step) bool {
		n--
		return n <= 0
	}
}

// logSync is true at a sync of an engine's log; where none happens, at some step.
func logSync(r *rand.Rand) func(disktest.Step) bool {
	first := stepsMin + r.IntN(stepsMore)
	early, late := steps(first), steps(first+stepsMore)
	return func(s disktest.Step) bool {
		passed, waited := early(s), late(s)
		return passed && s.Do == "sync" && strings.HasSuffix(s.Path, ".log") || waited
	}
}

// outcome is the result of a play.
type outcome struct {
	commits int64
	cuts    int
	found   []string // what must not be
}

// judgeWait bounds a judgement that should take a second.
const judgeWait = 2 * time.Minute

// run plays it. The error is the reason why it could not be checked.
func (p *play) run() (out outcome, err error) {
	r := rand.New(rand.NewPCG(p.seed, 1))
	first := filepath.Join(p.dir, "0")
	if err := os.Mkdir(first, 0o700); err != nil {
		return out, err
	}
	d := disktest.New(first, p.lie)
	made, err := plan(d, p.nodes)
	if err != nil {
		return out, err
	}
	if _, err := deploy.Write(made); err != nil {
		return out, err
	}
	m, err := start(d)
	if err != nil {
		return out, err
	}
	defer func() {
		if m != nil {
			err = errors.Join(err, m.close())
		}
	}()
	w := newWire()
	w.join()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	all, err := loads(ctx, m, p.seed)
	defer func() { err = errors.Join(err, disconnect(all)) }()
	if err != nil {
		return out, err
	}
	broken := make(chan struct{}, len(all))
	stop := work(ctx, all, func() { broken <- struct{}{} })
	defer stop()
	for out.cuts < p.cuts {
		if err := p.blackout(m.disk, p.at[out.cuts%len(p.at)].at(r), broken); errors.Is(err, errBroken) {
			break // judge reports its error
		} else if err != nil {
			return out, err
		}
		w.cut()
		out.cuts++
		if m, err = p.restart(m, out.cuts, r); err != nil {
			// A start that is refused reports missing data.
			out.found = append(out.found, fmt.Sprintf("cut %d: it does not start again: %v", out.cuts, err))
			w.join()
			cancel()
			return out, nil
		}
		w.join()
	}
	if out.cuts == p.cuts {
		_ = wait(m.disk, steps(stepsMin), broken) // the clients read the remaining data; judge reports their errors
	}
	stop()
	return out, p.judge(m, all, &out)
}

func (p *play) judge(m *machine, all []*load, out *outcome) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), judgeWait)
	defer cancel()
	var found []string
	out.commits, found, err = judge(ctx, all)
	out.found = append(out.found, found...)
	if failed := m.failure(); failed != nil {
		out.found = append(out.found, failed.Error())
	}
	return err
}

var (
	errBroken = errors.New("a load has ended")
	errStill  = errors.New("the step did not come")
)

// stepWait is the time for which a step is awaited. A server that writes nothing has none.
const stepWait = 5 * time.Second

// grace is for answers that are under way when the power is cut: they depend on earlier syncs, and
// a client that receives them makes the check sharper.
const grace = 10 * time.Millisecond

// blackout cuts the power at the step that is chosen.
func (p *play) blackout(d *disktest.Disk, at func(disktest.Step) bool, broken chan struct{}) error {
	err := wait(d, func(s disktest.Step) bool {
		here := at(s)
		if here {
			s.Off()
		}
		return here
	}, broken)
	if err != nil && !errors.Is(err, errStill) {
		return err
	}
	d.Off()
	time.Sleep(grace)
	return nil
}

// wait waits for a step of the disk.
func wait(d *disktest.Disk, at func(disktest.Step) bool, broken chan struct{}) error {
	reached := make(chan struct{})
	var once bool
	d.Watch(func(s disktest.Step) {
		if !once && at(s) {
			once = true
			close(reached)
		}
	})
	defer d.Watch(nil)
	select {
	case <-reached:
		return nil
	case <-broken:
		return errBroken
	case <-time.After(stepWait):
		return errStill
	}
}

// restart ends the machine whose disk is off, and starts another on the rest of its data.
func (p *play) restart(m *machine, n int, r *rand.Rand) (*machine, error) {
	old := m.disk
	old.Release()
	if err := m.close(); err != nil {
		return nil, err
	}
	dir := filepath.Join(p.dir, fmt.Sprint(n))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	left, err := old.Rebuild(dir, p.keep[(n-1)%len(p.keep)], r)
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(old.Dir()); err != nil {
		return nil, err
	}
	return start(left)
}
