package sim

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"

	"isochron/txn"
)

// tracer keeps a hash over all events and, if out is set, writes a line for each. The hash does not
// depend on out.
type tracer struct {
	hash        *xxhash.Digest
	out         func(line string)
	format      messageFormatter
	buf         []byte
	fingerprint []byte
	reported    map[string]bool // lines of followers already written: each is written once
	label       func(txn.NodeID) string
	zero        time.Duration // lines count time from here
}

func newTracer(out func(string), label func(txn.NodeID) string) *tracer {
	return &tracer{hash: xxhash.New(), out: out, format: messageFormatter{node: label}, reported: map[string]bool{}, label: label}
}

// Marks of hashed items.
const (
	markLine byte = iota + 1
	markSent
	markLost
	markHandled
)

func (t *tracer) mark(kind byte, now time.Duration, env *txn.Envelope, body []byte) {
	t.buf = append(t.buf[:0], kind)
	t.buf = binary.AppendVarint(t.buf, int64(now))
	t.buf = binary.AppendUvarint(t.buf, uint64(env.From))
	t.buf = binary.AppendUvarint(t.buf, uint64(env.To))
	t.buf = binary.AppendUvarint(t.buf, uint64(len(body)))
	_, _ = t.hash.Write(t.buf) // a hash does not fail
	_, _ = t.hash.Write(body)
}

// message records that a message leaves its node. body is its wire form, nil if it has none.
func (t *tracer) message(now time.Duration, env *txn.Envelope, body []byte) {
	if body == nil {
		t.fingerprint = appendGist(t.fingerprint[:0], &env.Msg)
		body = t.fingerprint
	}
	t.mark(markSent, now, env, body)
	if t.out == nil {
		return
	}
	t.write(now, env, "->", "")
}

// lost records that a message will not arrive.
func (t *tracer) lost(now time.Duration, env *txn.Envelope) {
	t.mark(markLost, now, env, nil)
	if t.out == nil {
		return
	}
	t.write(now, env, "-x", "lost: ")
}

// write writes the line of a message, unless it has no new information: followers repeat the length
// of their log whenever they are asked.
func (t *tracer) write(now time.Duration, env *txn.Envelope, arrow, mark string) {
	text := t.format.message(&env.Msg)
	if text == "" {
		return
	}
	line := fmt.Sprintf("%3s %s %-3s  %s%s", t.label(env.From), arrow, t.label(env.To), mark, text)
	if env.Msg.Raft != nil {
		if t.reported[line] {
			return
		}
		t.reported[line] = true
	}
	t.out(stamp(now-t.zero) + "  " + line)
}

// handled records that a node processes a message.
func (t *tracer) handled(now time.Duration, env *txn.Envelope) {
	t.mark(markHandled, now, env, nil)
}

// line records any other event, of a host or (nil) of the cluster.
func (t *tracer) line(now time.Duration, h *host, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	env := &txn.Envelope{}
	if h != nil {
		env.From = h.id
	}
	t.mark(markLine, now, env, []byte(text))
	t.note(now, h, text)
}

// note writes a line that is not part of the hash.
func (t *tracer) note(now time.Duration, h *host, text string) {
	if t.out == nil {
		return
	}
	who := "*"
	if h != nil {
		who = t.label(h.id)
	}
	t.out(fmt.Sprintf("%s  %3s         %s", stamp(now-t.zero), who, text))
}

// stamp formats a time in ms, with three decimals, from integers.
func stamp(t time.Duration) string {
	us := t.Microseconds()
	return fmt.Sprintf("%6d.%03d", us/1000, us%1000)
}
