package peer

import (
	"encoding/binary"
	"testing"
	"time"
)

func words(of ...int64) (b []byte) {
	for _, w := range of {
		b = binary.BigEndian.AppendUint64(b, uint64(w))
	}
	return b
}

// A pong has the round trip, and the way to the peer plus the clocks' difference. A pong of an earlier version has
// only the round trip; garbage is ignored.
func TestPongSamples(t *testing.T) {
	const now, wall = int64(5 * time.Second), int64(1_700_000_000_000_000_000)
	left := now - int64(30*time.Millisecond)
	for name, c := range map[string]struct {
		pong   []byte
		ok     bool
		oneWay time.Duration // 0: none
	}{
		"both clocks":       {words(left, wall, wall+int64(12*time.Millisecond)), true, 12 * time.Millisecond},
		"a slow clock":      {words(left, wall, wall-int64(time.Second)), true, -time.Second},
		"an earlier node":   {words(left), true, 0},
		"one that echoes":   {words(left, wall), true, 0},
		"no clock":          {words(left, wall, 0), true, 0},
		"clocks of years":   {words(left, 1, wall), true, 0},
		"from the future":   {words(now+1, wall, wall), false, 0},
		"an earlier life":   {words(-1, wall, wall), false, 0},
		"hours ago":         {words(now-int64(2*time.Hour), wall, wall), false, 0},
		"nothing":           {nil, false, 0},
		"of a wrong length": {make([]byte, 9), false, 0},
		"too long":          {make([]byte, 32), false, 0},
	} {
		s, ok := sampleOf(c.pong, time.Duration(now))
		if ok != c.ok || ok && s.RoundTrip != 30*time.Millisecond || s.HasOneWay != (c.oneWay != 0) || s.HasOneWay && s.OneWay != c.oneWay {
			t.Errorf("%s: %+v, %v", name, s, ok)
		}
	}
}

// A ping of an earlier version is returned unchanged: such a node accepts no other.
func TestPongToAnEarlierVersion(t *testing.T) {
	if got := pongTo(make([]byte, pingOld)); len(got) != pingOld {
		t.Errorf("%d bytes", len(got))
	}
	if got := pongTo(make([]byte, pingBytes)); len(got) != pongBytes {
		t.Errorf("%d bytes", len(got))
	}
}
