package lab

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"isochron/workload"
)

// A load that changes while it runs: from given times on clients choose among the same rows with
// another skew.

// skewing is a time from which on transactions are drawn from another mix.
type skewing struct {
	at  time.Duration // from the beginning of the measured time
	mix workload.Mix
}

// skewingsMax bounds the changes of the load.
const skewingsMax = 100

// parseSkews reads "20s=0.9,40s=0.2": from the twentieth second on rows are chosen with this
// coefficient of Zipf, from the fortieth on with that. Empty is none.
func (s Experiment) parseSkews() (out []skewing, err error) {
	if s.Skews == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(s.Skews, ",") {
		readTS, number, _ := strings.Cut(part, "=")
		at, err := time.ParseDuration(readTS)
		zipf, numberErr := strconv.ParseFloat(number, 64)
		if err != nil || numberErr != nil || at < 0 || !(zipf >= 0 && zipf <= zipfMost) {
			return nil, fmt.Errorf("%q is no change of the load; write for example 20s=0.9, which is Zipf's coefficient from the twentieth second on", part)
		}
		then := s
		then.Zipf = zipf
		mix, err := workload.NewMix(s.Workload, then.mixConfig())
		if err != nil {
			return nil, err
		}
		for range mix.Rows() {
			return nil, fmt.Errorf("the rows of %s are loaded, and a new mix would not know them: its load cannot change", s.Workload)
		}
		out = append(out, skewing{at, mix})
	}
	if len(out) > skewingsMax {
		return nil, errors.New("the load changes more than " + strconv.Itoa(skewingsMax) + " times")
	}
	return out, nil
}

// startSkews schedules the changes of the load.
func (r *run) startSkews() {
	for _, s := range r.spec.skews {
		r.w.After(r.spec.Warmup+s.at, func() { r.mix = s.mix })
	}
}
