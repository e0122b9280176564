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

// A replica's part in a comparison. Its leader is asked to name a comparison in the log
// (OrderVerify); each replica that comes to that entry holds its state. It is asked for the sums of
// a part of it as often as one likes (OrderSums), and lets go of it when it is asked no more.

// Sums is what a replica says of a state that it holds. Without Known it has not come to that
// entry, or has let go of it; without Done it is asked again.
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
	// sumsMost bounds an answer.
	sumsMost = 50_000
)

// verifying are the states that a node holds to be compared.
type verifying struct {
	mu     sync.Mutex
	held   []*holding // in the order in which they came
	closed bool
	sums   sync.WaitGroup
	stop   chan struct{}
}

// holding is one of them.
type holding struct {
	*shard.Held
	asked   time.Time // at last
	span    string    // what sums are of, or will be
	busy    bool
	removed bool // it is closed when it is not busy
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
			h.Close() // the order was given twice: the first stands, at every replica
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

// expire drops those that are not asked for any more.
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

// close lets go of all, and waits for who reads them.
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

// answer is the sums of a part of a state, as far as they are known; it has them made.
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

// sum makes the sums of a part.
func (v *verifying) sum(h *holding, span shard.Span, bytesPerSecond int64) {
	says := Sums{Known: true, Done: true, Index: h.Index}
	var err error
	if says.Ranges, err = sums(h.Held, span, pacing(bytesPerSecond, v.stop)); err == nil && len(says.Ranges) > sumsMost {
		err = fmt.Errorf("%d ranges are too many for one answer", len(says.Ranges))
	}
	if err != nil {
		says.Ranges, says.Error = nil, err.Error()
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	h.sums, h.busy, h.asked = says, false, time.Now()
	if h.removed {
		h.Close()
	}
}

// sums turns a panic over damaged data into an error: that one file cannot be read is what was to be
// found out. The engine stops the node besides.
func sums(h *shard.Held, span shard.Span, pace func(int) error) (out []shard.Sum, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case error:
			out, err = nil, fmt.Errorf("its data cannot be read: %w", p)
		default:
			panic(p)
		}
	}()
	return h.Sums(span, pace)
}

// pacing waits so that no more is read in a second than that.
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

// beginVerify has the log of a shard name a comparison.
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
