package sim

import (
	"testing"
	"time"

	"isochron/protocol"
)

// A host's probes measure the network and the clocks: the round trip of the map without jitter, the
// way there with the lead of the other's clock, and nothing of a host that is down or cut off.
func TestProbesMeasureTheNetwork(t *testing.T) {
	spec, err := protocol.ByName("2pc+2pl")
	if err != nil {
		t.Fatal(err)
	}
	w := newStepWorld(t, spec).w
	defer w.Close()
	first, second := w.hosts[0], w.hosts[1]
	every := spec.Probing(time.Second)
	second.wallShift = 40 * time.Millisecond
	p := &probes{h: first, rand: stream(1, streamProbes), every: every, delays: every.Delays()}
	for range 10 {
		p.probe()
	}
	want := w.net.delays[0][1] + w.net.delays[1][0]
	d, ok := p.delays.To(second.id, first.now().Mono)
	if !ok || d.RoundTrip != want || d.OneWayP95 != w.net.delays[0][1]+second.wallShift {
		t.Errorf("%+v, want a round trip of %v", d, want)
	}
	w.net.setCut(second.id, first.id, true)
	p = &probes{h: first, rand: stream(1, streamProbes), every: every, delays: every.Delays()}
	p.probe()
	if got := p.roundTrips(); got[second.id] != 0 || len(got) != len(w.hosts)-2 {
		t.Errorf("with a link cut: %v", got)
	}
}
