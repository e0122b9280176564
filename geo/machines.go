package geo

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// parseMachines parses a map with a number of machines in each of its regions, such as natto3*4. Each
// machine is a region of the result, named after its own (dc1 has dc1-1 to dc1-4); the
// first machines of all regions come first, then the second ones. The distance of two machines of one
// region is the map's distance within one (WAN.Intra).
func parseMachines(spec, name, count string) (WAN, error) {
	base, err := Parse(name)
	if err != nil {
		return WAN{}, err
	}
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || n*len(base.Regions) > regionsMax {
		return WAN{}, fmt.Errorf("WAN %q: %q is not a number of machines in each region (at most %d in all); write for example natto3*4", spec, count, regionsMax)
	}
	w := WAN{Name: spec, rtt: map[[2]Region]time.Duration{}, intra: base.intra}
	of := map[Region]Region{}
	for i := range n {
		for _, r := range base.Regions {
			machine := Region(fmt.Sprintf("%s-%d", r, i+1))
			if !machine.Valid() {
				return WAN{}, fmt.Errorf("WAN %q: %q is too long a name for a region", spec, machine)
			}
			w.Regions = append(w.Regions, machine)
			of[machine] = r
		}
	}
	for _, a := range w.Regions {
		for _, b := range w.Regions {
			if a != b {
				w.rtt[[2]Region{a, b}] = base.RTT(of[a], of[b])
			}
		}
	}
	return w, nil
}

// cutMachines splits such a name; the path of a file is not one.
func cutMachines(spec string) (name, count string, ok bool) {
	if looksLikePath(spec) {
		return "", "", false
	}
	at := strings.LastIndex(spec, "*")
	if at < 0 {
		return "", "", false
	}
	return spec[:at], spec[at+1:], true
}
