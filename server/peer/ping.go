package peer

import (
	"encoding/binary"
	"time"

	"isochron/estimate"
)

// A ping has the time of its sending, on the sender's monotonic clock and on its wall clock. It returns as a pong
// on the peer's connection in the other direction, followed by the peer's wall clock. Nodes of earlier versions
// omit the wall clocks: they send and expect 8 bytes, and return what they received.
const (
	pingOld   = 8
	pingBytes = 16
	pongBytes = 24
	tripMax   = time.Hour // a longer time belongs to an earlier start
)

// ping sends a ping.
func (l *link) ping() {
	content := binary.BigEndian.AppendUint64(nil, uint64(time.Since(l.t.begun)))
	l.t.carry(l.to, kindPing, appendWall(content))
}

func appendWall(b []byte) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(time.Now().UnixNano()))
}

// pongTo returns the reply to a ping.
func pongTo(ping []byte) []byte {
	if len(ping) != pingBytes {
		return ping
	}
	return appendWall(append(make([]byte, 0, pongBytes), ping...))
}

// sampleOf reads a pong received at now, a time since the transport began; ok is false if it is none, or belongs
// to an earlier start.
func sampleOf(pong []byte, now time.Duration) (s estimate.Sample, ok bool) {
	if len(pong) != pingOld && len(pong) != pingBytes && len(pong) != pongBytes {
		return s, false
	}
	sent := time.Duration(binary.BigEndian.Uint64(pong))
	trip := now - sent
	if sent < 0 || trip < 0 || trip > tripMax {
		return s, false
	}
	s = estimate.Answered(now, trip)
	if len(pong) == pongBytes {
		s = s.WithClocks(int64(binary.BigEndian.Uint64(pong[8:])), int64(binary.BigEndian.Uint64(pong[16:])))
	}
	return s, true
}

// pong processes a pong's sample.
func (l *link) pong(content []byte) {
	s, ok := sampleOf(content, time.Since(l.t.begun))
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.RTT, l.state.lastReceived = s.RoundTrip, time.Now()
	l.delays.Add(l.to, s)
	l.state.Delay, _ = l.delays.To(l.to, s.At)
}
