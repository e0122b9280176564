package server

import (
	"fmt"
	"testing"
	"time"
)

// A line keeps its order and delays by at least its delay; lines of different delays overtake each other.
func TestWANKeepsOrderPerLine(t *testing.T) {
	w := newWAN(newClock())
	defer w.close()
	near, far := newMailbox(0), newMailbox(0)
	w.connect(1, 2, time.Millisecond, into(near))
	w.connect(1, 3, 20*time.Millisecond, into(far))
	start := time.Now()
	const n = 500
	for i := range n {
		w.send(1, 3, fmt.Appendf(nil, "%d", i))
		w.send(1, 2, fmt.Appendf(nil, "%d", i))
	}
	for _, line := range []struct {
		box   *mailbox
		delay time.Duration
	}{{near, time.Millisecond}, {far, 20 * time.Millisecond}} {
		got := receive(t, line.box, n)
		if since := time.Since(start); since < line.delay {
			t.Errorf("all arrived %v after the first was sent, sooner than the delay of %v", since, line.delay)
		}
		for i, in := range got {
			if string(in.envelope) != fmt.Sprint(i) {
				t.Fatalf("message %d is %q", i, in.envelope)
			}
		}
	}
}

func TestWANDropsExcessBytes(t *testing.T) {
	w := newWAN(newClock())
	defer w.close()
	w.connect(1, 2, time.Hour, into(newMailbox(0)))
	for range lineParcelsMax + 7 {
		w.send(1, 2, []byte("m"))
	}
	w.send(1, 9, []byte("no line"))
	if sent, dropped := w.traffic(); dropped != 7 || sent != lineParcelsMax+7 {
		t.Errorf("sent %d, dropped %d; want 7 dropped", sent, dropped)
	}
}

func TestMailboxIsBounded(t *testing.T) {
	m := newMailbox(0)
	for range mailboxMessagesMax {
		m.put(input{envelope: []byte("m")})
	}
	if m.put(input{envelope: []byte("m")}) || m.dropped != 1 {
		t.Error("a full mailbox took a message")
	}
	if !m.put(input{call: nil}) {
		t.Error("messages filled the room of requests")
	}
	if got := len(m.take(nil)); got != mailboxMessagesMax+1 {
		t.Errorf("took %d inputs", got)
	}
	if !m.put(input{envelope: []byte("m")}) {
		t.Error("an emptied mailbox refused a message")
	}
}

// receive waits for n inputs.
func receive(t *testing.T, m *mailbox, n int) []input {
	t.Helper()
	var got []input
	deadline := time.After(30 * time.Second)
	for len(got) < n {
		select {
		case <-m.wake:
			got = append(got, m.take(nil)...)
		case <-deadline:
			t.Fatalf("only %d of %d messages arrived", len(got), n)
		}
	}
	return got
}

// BenchmarkWANLateness reports how late a message is on an otherwise idle line.
func BenchmarkWANLateness(b *testing.B) {
	w := newWAN(newClock())
	defer w.close()
	m := newMailbox(0)
	const delay = 3300 * time.Microsecond
	w.connect(1, 2, delay, into(m))
	var late time.Duration
	for range b.N {
		start := time.Now()
		w.send(1, 2, []byte("m"))
		<-m.wake
		late += time.Since(start) - delay
		m.take(nil)
	}
	b.ReportMetric(float64(late.Microseconds())/float64(b.N), "us-late/op")
}

// Messages are bounded by their bytes too, and one is always accepted.
func TestMailboxBoundsBytes(t *testing.T) {
	m := newMailbox(1000)
	if !m.put(input{envelope: make([]byte, 5000)}) {
		t.Error("an empty mailbox refuses a long message, which could then never be delivered")
	}
	if m.put(input{envelope: make([]byte, 1)}) {
		t.Error("a mailbox exceeds its bytes")
	}
	m.take(nil)
	for range 10 {
		m.put(input{envelope: make([]byte, 300)})
	}
	if len(m.waiting) != 3 || m.dropped != 8 || m.bytes != 900 {
		t.Errorf("%d messages of %d bytes wait, %d were dropped", len(m.waiting), m.bytes, m.dropped)
	}
}
