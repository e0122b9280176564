package sourcedb

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"isochron/source"
)

// stopped stops the kit's server during f.
func (k *kit) stopped(f func()) {
	k.t.Helper()
	k.must(k.server.Stop())
	defer func() {
		if err := k.server.Wake(); err != nil {
			k.t.Fatal(err)
		}
	}()
	f()
}

// silentFor is the bound in these tests: more than a server takes on a busy machine.
const silentFor = 2 * time.Second

// All calls under way at a stopped server are abandoned; a commit's outcome is then unknown.
func TestAServerThatIsSilent(t *testing.T) {
	apart(t, nil, func(t *testing.T, k *kit) {
		d := k.open(Options{ConnectTimeout: silentFor})
		o := source.BranchOptions{Isolation: source.ReadCommitted, Silence: silentFor}
		begin := func(id int) (source.Branch, source.Name) {
			n := k.name()
			b := k.beginAt(d, n, o)
			k.do(b, fmt.Sprintf("INSERT INTO %%s VALUES (%d, 0)", id))
			return b, n
		}
		executes, _ := begin(1)
		prepares, _ := begin(2)
		commits, _ := begin(3)
		finishes, name := begin(4)
		k.must(finishes.Prepare(k.ctx))
		rollsBack, _ := begin(5)
		k.stopped(func() {
			given := []struct {
				what    string
				unknown bool
				do      func() error
			}{
				{"a statement", false, func() error { _, err := k.try(executes, "UPDATE %s SET v = 1 WHERE id = 1"); return err }},
				{"a prepare", true, func() error { return prepares.Prepare(k.ctx) }},
				{"a commit", true, func() error { return commits.Commit(k.ctx) }},
				{"all of a transaction", true, func() error {
					_, err := d.(source.OneTripDriver).Once(k.ctx, k.name(), o, source.Statement{Text: "INSERT INTO " + k.table + " VALUES (6, 0)"})
					return err
				}},
			}
			errs := make([]error, len(given))
			var all sync.WaitGroup
			for i, c := range given {
				all.Go(func() { errs[i] = c.do() })
			}
			all.Wait()
			for i, c := range given {
				if e := k.fails(errs[i], codeCannotConnect); !e.Gone || !e.Ends || e.Unknown && !c.unknown {
					t.Errorf("%s: %+v", c.what, e)
				}
			}
			_ = rollsBack.Rollback(k.ctx) // it ends; the server rolls back when it notices
		})
		for { // the abandoned branch releases its name when the server notices
			found, err := d.Finish(k.ctx, name, true)
			if err == nil && found {
				break
			}
			if k.ctx.Err() != nil {
				t.Fatalf("the prepared branch: found %v, %v", found, err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
}

// A long statement, or one that waits for a lock, is waited for at a server that answers.
func TestALongStatementDoesNotCountAsSilence(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		d := k.open(Options{})
		o := source.BranchOptions{Isolation: source.ReadCommitted, Silence: 300 * time.Millisecond}
		b := k.beginAt(d, k.name(), o)
		sleep := map[string]string{"postgres": "SELECT pg_sleep(1.5)", "mariadb": "SELECT SLEEP(1.5)"}[k.name_()]
		if _, err := b.Execute(k.ctx, source.Statement{Text: sleep}); err != nil {
			t.Error(err)
		}
		k.do(b, "INSERT INTO %s VALUES (1, 0)")
		k.must(b.Commit(k.ctx))
		k.has("1", "0")
	})
}

// A new connection that the server refuses with an error is an answer.
func TestAServerThatRefusesAnswers(t *testing.T) {
	for _, c := range []struct {
		err    error
		silent bool
	}{{nil, false}, {&source.Error{Code: 1040, Ends: true}, false}, {unreachable(context.DeadlineExceeded), true}} {
		a := &attentive{database: probed{err: c.err}, connect: time.Minute}
		ctx, stop := context.WithTimeout(context.Background(), 20*time.Millisecond)
		err := a.during(ctx, time.Millisecond, func(ctx context.Context) error {
			<-ctx.Done()
			return interrupted(ctx)
		})
		stop()
		if e := asError(err); e.Gone != c.silent || (e.Code == codeCannotConnect) != c.silent {
			t.Errorf("a new connection gives %v: %+v", c.err, e)
		}
	}
}

// probed is a database that can only be probed.
type probed struct {
	database
	err error
}

func (s probed) answers(context.Context) error { return s.err }
