package preauth

import (
	"container/list"
	"time"
)

// Delays are the bounds of the waits after failures.
type Delays struct {
	Free   int           // failures answered immediately
	First  time.Duration // the wait of the next; each further one doubles it
	Most   time.Duration // bound of a wait
	Forget time.Duration // after so long without a failure, half of the count is dropped
	Size   int           // keys kept; the one without failures for longest is dropped first
}

// DefaultDelays tolerate some typing errors.
var DefaultDelays = Delays{Free: 3, First: 250 * time.Millisecond, Most: 5 * time.Second, Forget: time.Minute, Size: 4096}

// Failures counts failures by a key, such as an account or an address. It is for one
// goroutine at a time.
type Failures struct {
	d     Delays
	by    map[string]*list.Element
	order list.List // of failed, the least recent first
}

type failed struct {
	key   string
	count int
	last  time.Time
}

// NewFailures returns empty Failures.
func NewFailures(d Delays) *Failures { return &Failures{d: d, by: map[string]*list.Element{}} }

// Len is the number of keys kept.
func (f *Failures) Len() int { return len(f.by) }

// countMax bounds a count, so that it is dropped in bounded time.
const countMax = 64

// Note counts a failure, and returns how long its answer must wait.
func (f *Failures) Note(now time.Time, key string) time.Duration {
	e := f.by[key]
	if e == nil {
		if len(f.by) >= f.d.Size {
			old := f.order.Front()
			delete(f.by, old.Value.(*failed).key)
			f.order.Remove(old)
		}
		e = f.order.PushBack(&failed{key: key, last: now})
		f.by[key] = e
	}
	f.order.MoveToBack(e)
	of := e.Value.(*failed)
	for ; of.count > 0 && now.Sub(of.last) >= f.d.Forget; of.last = of.last.Add(f.d.Forget) {
		of.count /= 2
	}
	of.count, of.last = min(of.count+1, countMax), now
	return f.d.after(of.count)
}

// Forget drops a key after a correct password.
func (f *Failures) Forget(key string) {
	if e := f.by[key]; e != nil {
		delete(f.by, key)
		f.order.Remove(e)
	}
}

// after returns the wait after so many failures.
func (d Delays) after(count int) time.Duration {
	over := count - d.Free
	if over <= 0 {
		return 0
	}
	wait := d.First
	for ; over > 1 && wait < d.Most; over-- {
		wait *= 2
	}
	return min(wait, d.Most)
}
