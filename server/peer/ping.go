package peer

import (
	"encoding/binary"
	"time"

	"isochron/estimate"
)

// A ping carries when it left: on the sender's monotonic clock, then on its wall clock. It
// comes back as a pong, on the peer's connection to us, with the peer's wall clock behind
// it. Nodes of earlier versions leave the wall clocks out: they send and expect 8 bytes, and
// send back what they got.
const (
	pingOld   = 8
	pingBytes = 16
	pongBytes = 24
	tripMax   = time.Hour // what says that it took longer is of an earlier life
)

// ping sends the time.
func (l *link) ping() {
	content := binary.BigEndian.AppendUint64(nil, uint64(time.Since(l.t.begun)))
	l.t.carry(l.to, kindPing, appendWall(content))
}

func appendWall(b []byte) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(time.Now().UnixNano()))
}

// pongTo is the answer to a ping.
func pongTo(ping []byte) []byte {
	if len(ping) != pingBytes {
		return ping
	}
	return appendWall(append(make([]byte, 0, pongBytes), ping...))
}

// sampleOf reads a pong that came at a moment since the transport began; ok is false if it is
// none, or of an earlier life.
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

// pong notes what a ping that came back says.
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
