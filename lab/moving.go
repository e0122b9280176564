package lab

import (
	"fmt"
	"strings"
	"time"

	"isochron/geo"
)

// A network whose delays change while it runs: the map stays (regions, leaders, and the parameters
// that nodes derive from the widest round trip), and from given times on messages have the delays
// of another map.

// change is a time from which on delays are those of a map.
type change struct {
	at  time.Duration // from the beginning of the measured time
	wan geo.WAN
}

// changesMax bounds the changes of delays.
const changesMax = 100

// parseChanges reads "40s=star:50ms:90ms,60s=star:10ms:10ms": from the fortieth second on the
// delays of one map, from the sixtieth on those of another. Each has as many regions as the
// experiment's. Empty is none.
func parseChanges(text string, regions int) (out []change, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		readTS, name, ok := strings.Cut(part, "=")
		at, err := time.ParseDuration(readTS)
		if !ok || err != nil || at < 0 {
			return nil, fmt.Errorf("%q is no change of delays; write for example 40s=star:50ms:90ms, which is another map from the fortieth second on", part)
		}
		wan, err := geo.Parse(name)
		if err != nil {
			return nil, err
		}
		if len(wan.Regions) != regions {
			return nil, fmt.Errorf("the delays change to those of a map of %d regions (%s); the experiment's has %d", len(wan.Regions), name, regions)
		}
		out = append(out, change{at, wan})
	}
	if len(out) > changesMax {
		return nil, fmt.Errorf("delays change %d times; they can change %d times", len(out), changesMax)
	}
	return out, nil
}

// startChanges schedules the changes of delays.
func (r *run) startChanges() {
	for _, c := range r.spec.changes {
		r.w.After(r.spec.Warmup+c.at, func() { r.w.Move(c.wan) })
	}
}
