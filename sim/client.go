package sim

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"isochron/coordinator"
	"isochron/geo"
	"isochron/routing"
	"isochron/txn"
)

// Client is blocking code that runs as a coroutine beside a node. It is the node's
// coordinator.Port, and a clock.
type Client struct {
	w     *Cluster
	host  *host
	id    int
	rand  *rand.Rand
	next  func() (struct{}, bool)
	end   func()
	yield func(struct{}) bool
	done  bool
	dir   *routing.Directory // the last one read, for when the node is down
	hops  chain              // of the last commit's answer
}

// stopped unwinds the coroutine of a client that the cluster ends.
type stopped struct{}

// Go starts a client at a node. Its code begins at the present time.
func (w *Cluster) Go(at txn.NodeID, code func(c *Client)) *Client {
	c := &Client{w: w, host: w.host(at), id: len(w.clients) + 1, dir: w.cfg.Directory}
	c.rand = stream(w.cfg.Seed, streamClients+uint64(c.id))
	w.clients = append(w.clients, c)
	c.next, c.end = iter.Pull(func(yield func(struct{}) bool) {
		c.yield = yield
		defer func() {
			c.done = true
			if r := recover(); r != nil {
				if _, ok := r.(stopped); !ok {
					panic(r)
				}
			}
		}()
		code(c)
	})
	w.After(0, c.resume)
	return c
}

// Done reports whether the client's code has returned.
func (c *Client) Done() bool { return c.done }

func (c *Client) resume() {
	if !c.done {
		c.next()
	}
}

func (c *Client) stop() {
	c.done = true
	c.end()
}

// park returns control to the cluster until resume is scheduled.
func (c *Client) park() {
	if !c.yield(struct{}{}) {
		panic(stopped{})
	}
}

// Sleep parks the client for d.
func (c *Client) Sleep(d time.Duration) {
	c.w.After(d, c.resume)
	c.park()
}

// Work occupies one core of the client's node for cost, once a core is free, and parks the client
// until then.
func (c *Client) Work(cost time.Duration) {
	if cost > 0 {
		c.Sleep(c.host.work(cost))
	}
}

// WorkBeside is Work without parking the client.
func (c *Client) WorkBeside(cost time.Duration) {
	if cost > 0 {
		c.host.work(cost)
	}
}

// QueueWork is Work done by the node's loop in its queue order; without a loop it is Work.
func (c *Client) QueueWork(cost time.Duration) {
	if !c.host.cpu.Loop {
		c.Work(cost)
		return
	}
	if cost > 0 {
		c.host.queueWork(cost, c.Wake)
		c.park()
	}
}

// Idle parks the client until Wake is called. One Wake ends one Idle.
func (c *Client) Idle() { c.park() }

// Wake ends the client's Idle, at the present time.
func (c *Client) Wake() { c.w.After(0, c.resume) }

// Hops returns the number of sequential messages between regions from the client's last commit to
// its answer; ok is false if a timer or another transaction was part of the sequence.
func (c *Client) Hops() (hops int, ok bool) { return int(c.hops), c.hops != noChain }

// Elapsed returns the virtual time.
func (c *Client) Elapsed() time.Duration { return c.w.now }

// Rand returns the client's own generator.
func (c *Client) Rand() *rand.Rand { return c.rand }

// call is a request that waits for its answer.
type call struct {
	client   *Client
	req      *coordinator.Request
	since    time.Duration
	res      coordinator.Response
	answered bool
}

// Do implements coordinator.Port.
func (c *Client) Do(ctx context.Context, req *coordinator.Request) coordinator.Response {
	k := &call{client: c, req: req, since: c.w.now}
	if !c.host.up() || ctx.Err() != nil {
		c.Sleep(time.Millisecond) // a refusal takes some time
		return coordinator.Response{Txn: req.Txn, Err: txn.Errorf(txn.KindUnavailable, "node %d is down", c.host.id)}
	}
	h := c.host
	h.calls = append(h.calls, k)
	req.Done = func(res coordinator.Response) { h.reply(k, res) }
	h.submit(req)
	c.park()
	return k.res
}

// reply sends the node's answer to the client.
func (h *host) reply(k *call, res coordinator.Response) {
	if k.answered {
		return // the host crashed with the call open, or a bug: see call.answer
	}
	what := leaves
	if h.w.onAnswer != nil {
		what = h.w.onAnswer(h, k.req, &res)
	}
	if what != lostCrash {
		h.calls = slices.DeleteFunc(h.calls, func(o *call) bool { return o == k })
		k.answer(res)
	}
	if what != leaves {
		// The node is in the middle of a call: the call ends, and none of its output leaves.
		h.crash(strictly)
	}
}

func (k *call) answer(res coordinator.Response) {
	if what, late := k.overdue(); late {
		k.client.w.late = append(k.client.w.late, what)
	}
	k.answered, k.res = true, res
	if k.req.Op == coordinator.OpCommit || k.req.Op == coordinator.OpFixedSet || k.req.Commit {
		k.client.hops = k.client.w.hops
	}
	k.client.host.answered(k.client)
}

// lost returns the response that a client assumes when its node crashes before answering.
func (k *call) lost() coordinator.Response {
	return k.req.Failed(fmt.Sprintf("node %d crashed before answering", k.client.host.id))
}

// Post implements coordinator.Port.
func (c *Client) Post(req *coordinator.Request) {
	if c.host.up() {
		c.host.submit(req)
	}
}

// Directory implements coordinator.Port.
func (c *Client) Directory() *routing.Directory {
	if c.host.up() {
		c.dir = c.host.node.Directory()
	}
	return c.dir
}

// ReadLocal implements coordinator.Port.
func (c *Client) ReadLocal(key txn.Key) (value []byte, version txn.Version, ok bool) {
	if !c.host.up() {
		return nil, txn.Version{}, false
	}
	return c.host.node.ReadLocal(key)
}

// Region implements coordinator.Port.
func (c *Client) Region() geo.Region { return c.host.region }

// isCommit reports whether a successful answer to the request means that writes are committed.
func isCommit(req *coordinator.Request) bool {
	return req.Commits()
}

// DB returns the client's gateway.
func (c *Client) DB() txn.DB { return coordinator.NewDB(c) }
