package power

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"isochron/server/deploy"
	"isochron/server/disk/disktest"
)

// startSteps is the approximate number of disk changes at a first start of one node.
const startSteps = 120

// The power goes while a new node starts for the first time: it starts again. Whatever init
// has said is there is there.
func TestFirstStartIsCut(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 9))
	for i := range 4 * *plays {
		step, keep := 1+r.IntN(startSteps), disktest.Keeps()[i%len(disktest.Keeps())]
		t.Run(fmt.Sprintf("step %d leaves %v", step, keep), func(t *testing.T) {
			if err := cutStart(t.TempDir(), step, keep, r); err != nil {
				t.Error(err)
			}
		})
	}
}

// cutStart makes a cluster of one node, cuts the power at a step of its start, or after it
// if it takes fewer, and starts it again.
func cutStart(dir string, step int, keep disktest.Keep, r *rand.Rand) error {
	before, after := filepath.Join(dir, "before"), filepath.Join(dir, "after")
	if err := errors.Join(os.Mkdir(before, 0o700), os.Mkdir(after, 0o700)); err != nil {
		return err
	}
	d := disktest.New(before, disktest.Lie{})
	p, err := plan(d, 1)
	if err != nil {
		return err
	}
	if _, err := deploy.Write(p); err != nil {
		return err
	}
	began, off := 0, make(chan struct{})
	d.Watch(func(s disktest.Step) {
		if began++; began == step {
			s.Off()
			close(off)
		}
	})
	type started struct {
		m   *machine
		err error
	}
	done := make(chan started, 1)
	go func() {
		m, err := start(d)
		done <- started{m, err}
	}()
	var s started
	select {
	case <-off:
		d.Release()
		s = <-done
	case s = <-done:
		d.Off()
		d.Release()
	}
	if s.err != nil {
		return s.err
	}
	if err := s.m.close(); err != nil {
		return err
	}
	left, err := d.Rebuild(after, keep, r)
	if err != nil {
		return err
	}
	m, err := start(left)
	if err != nil {
		return fmt.Errorf("it does not start again: %w", err)
	}
	return m.close()
}
