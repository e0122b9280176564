package server

import (
	"context"
	"fmt"
	"sync"
	"time"

	"isochron/node"
	"isochron/shard"
	"isochron/txn"
)

// A replica's part in a comparison. Its leader enters a comparison in the log (OrderVerify). Each replica that
// applies that entry holds its state. It answers any number of queries for the sums of a span (OrderSums) and
// releases the state when queries stop.

// Sums is a replica's sums of a held state. Without Known the replica has not applied the entry, or has
// released the state; without Done the query is repeated.
type Sums struct {
	Known  bool        `json:"known,omitempty"`
	Done   bool        `json:"done,omitempty"`
	Index  uint64      `json:"index,omitempty"`
	Ranges []shard.Sum `json:"ranges,omitempty"`
	Error  string      `json:"error,omitempty"`
}

const (
	heldMost  = 4 // states, at a node at a time
	heldLasts = time.Minute
	// sumsMost bounds the ranges of a reply.
	sumsMost = 50_000
)

// verifying has the states held for comparisons.
type verifying struct {
	mu     sync.Mutex
	held   []*holding // in the order of their arrival
	closed bool
	sums   sync.WaitGroup
	stop   chan struct{}
}

// holding is one held state.
type holding struct {
	*shard.Held
	asked   time.Time // time of the last query
	span    string    // of sums, or of the sums under way
	busy    bool
	removed bool // it is closed once it is not busy
	sums    Sums
}

func newVerifying() *verifying { return &verifying{stop: make(chan struct{})} }

// hold takes a state; it is called in the node's loop.
func (v *verifying) hold(h *shard.Held) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.expire(time.Now())
	for _, have := range v.held {
		if have.Shard == h.Shard && have.Check == h.Check {
			h.Close() // a repeated command: the first state is kept at every replica
			return
		}
	}
	if v.closed {
		h.Close()
		return
	}
	if len(v.held) >= heldMost {
		v.drop(0)
	}
	v.held = append(v.held, &holding{Held: h, asked: time.Now()})
	time.AfterFunc(heldLasts+time.Second, func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.expire(time.Now())
	})
}

// expire drops the states that are no longer queried.
func (v *verifying) expire(now time.Time) {
	for i := len(v.held) - 1; i >= 0; i-- {
		if h := v.held[i]; !h.busy && now.Sub(h.asked) > heldLasts {
			v.drop(i)
		}
	}
}

func (v *verifying) drop(i int) {
	h := v.held[i]
	v.held = append(v.held[:i:i], v.held[i+1:]...)
	if h.removed = true; !h.busy {
		h.Close()
	}
}

// close drops all states and waits for their readers.
func (v *verifying) close() {
	v.mu.Lock()
	if !v.closed {
		close(v.stop)
	}
	v.closed = true
	for len(v.held) > 0 {
		v.drop(0)
	}
	v.mu.Unlock()
	v.sums.Wait()
}

// answer returns the sums of a span of a state, and starts computing them if it has not.
func (v *verifying) answer(id txn.ShardID, check uint64, span shard.Span, bytesPerSecond int64) Sums {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, h := range v.held {
		if h.Shard != id || h.Check != check {
			continue
		}
		h.asked = time.Now()
		if want := fmt.Sprintf("%x %x %d", span.From, span.To, span.Bits); h.span != want && !h.busy {
			h.span, h.busy, h.sums = want, true, Sums{}
			v.sums.Go(func() { v.sum(h, span, bytesPerSecond) })
		} else if h.span == want && h.sums.Done {
			return h.sums
		}
		return Sums{Known: true, Index: h.Index}
	}
	return Sums{}
}

// sum computes the sums of a span.
func (v *verifying) sum(h *holding, span shard.Span, bytesPerSecond int64) {
	out := Sums{Known: true, Done: true, Index: h.Index}
	var err error
	if out.Ranges, err = sums(h.Held, span, pacing(bytesPerSecond, v.stop)); err == nil && len(out.Ranges) > sumsMost {
		err = fmt.Errorf("%d ranges are too many for one answer", len(out.Ranges))
	}
	if err != nil {
		out.Ranges, out.Error = nil, err.Error()
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	h.sums, h.busy, h.asked = out, false, time.Now()
	if h.removed {
		h.Close()
	}
}

// sums turns a panic over damaged data into an error: an unreadable file is a result of the comparison. The
// engine stops the node as well.
func sums(h *shard.Held, span shard.Span, pace func(int) error) (out []shard.Sum, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case error:
			out, err = nil, fmt.Errorf("the data cannot be read: %w", p)
		default:
			panic(p)
		}
	}()
	return h.Sums(span, pace)
}

// pacing limits reading to bytesPerSecond by waiting.
func pacing(bytesPerSecond int64, stop <-chan struct{}) func(int) error {
	began, read := time.Now(), int64(0)
	return func(n int) error {
		read += int64(n)
		if bytesPerSecond <= 0 {
			return nil
		}
		due := time.Duration(float64(read) / float64(bytesPerSecond) * float64(time.Second))
		select {
		case <-time.After(due - time.Since(began)):
			return nil
		case <-stop:
			return context.Canceled
		}
	}
}

// beginVerify enters a comparison in a shard's log.
func (p *Process) beginVerify(o AdminCommand) Outcome {
	led := false
	if !p.runner.inLoop(func(n *node.Node) { led = n.Verify(txn.ShardID(o.Shard), o.Check) }) {
		return Outcome{Error: "the node has stopped, or is too busy"}
	}
	if !led {
		return Outcome{Error: fmt.Sprintf("node %d does not lead shard %d", p.cfg.Self, o.Shard)}
	}
	return Outcome{Node: uint32(p.cfg.Self)}
}
