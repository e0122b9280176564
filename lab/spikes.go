package lab

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// spike is additional load on an open loop.
type spike struct {
	from, lasts time.Duration // from the beginning of the measured time
	rate        float64       // transactions a second
}

const spikesMax = 100

// parseSpikes reads "3s+2s:500,8s+1s:900": 500 a second more from the third second on, for two
// seconds, and 900 from the eighth on, for one. Empty is none.
func parseSpikes(text string) (out []spike, err error) {
	if text == "" {
		return nil, nil
	}
	for _, part := range strings.Split(text, ",") {
		times, rate, ok := strings.Cut(part, ":")
		from, lasts, ok2 := strings.Cut(times, "+")
		var s spike
		var errs [3]error
		s.from, errs[0] = time.ParseDuration(from)
		s.lasts, errs[1] = time.ParseDuration(lasts)
		s.rate, errs[2] = strconv.ParseFloat(rate, 64)
		if !ok || !ok2 || errs != [3]error{} || s.from < 0 || s.lasts <= 0 || !(s.rate > 0 && s.rate <= rateMax) {
			return nil, fmt.Errorf("%q is no spike; write for example 3s+2s:500, which is 500 transactions a second more from the third second on, for two", part)
		}
		out = append(out, s)
	}
	if len(out) > spikesMax {
		return nil, fmt.Errorf("there are %d spikes; there can be %d", len(out), spikesMax)
	}
	return out, nil
}

// streamSpikes differs from the other streams of chance.
const streamSpikes = 1 << 33

// startSpikes schedules the spikes, at the first gateway.
func (r *run) startSpikes() {
	for i, s := range r.spec.spikes {
		a := &arrivals{r: r, node: r.spec.gateway(0), gap: time.Duration(float64(time.Second) / s.rate), spike: true,
			until: r.w.Elapsed() + r.spec.Warmup + s.from + s.lasts,
			rand:  rand.New(rand.NewPCG(r.spec.Seed, streamSpikes+uint64(i)))}
		r.w.After(r.spec.Warmup+s.from, a.next)
	}
}
