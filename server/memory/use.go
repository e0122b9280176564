package memory

// Use is what the parts of a node take.
type Use struct {
	Setting  int64     `json:"setting"`  // bytes that the node may take
	Resident int64     `json:"resident"` // that it takes, as the kernel has it; 0: not known
	Heap     int64     `json:"heap"`     // of Go, garbage with it
	Parts    []PartUse `json:"parts"`
}

// PartUse is what one part takes, in bytes.
type PartUse struct {
	Part  string `json:"part"`
	Holds int64  `json:"holds"` // now, as it counts itself
	Share int64  `json:"share"` // that it may hold
	What  string `json:"what"`
}

// Held is what parts count that they hold. Garbage and Rest are found out.
type Held [parts]int64

// Use tells what is held of the shares.
func (s Shares) Use(held Held) Use {
	now := read(liveMetric, heapMetric, totalMetric, freeMetric)
	live, heap, taken := now[0], now[1], now[2]-now[3]
	u := Use{Setting: s.Total, Resident: resident(), Heap: heap}
	held[Garbage] = max(0, heap-live)
	held[Rest] = taken - held[Garbage]
	for p := range Rest {
		if p != Garbage {
			held[Rest] -= held[p]
		}
	}
	held[Rest] = max(0, held[Rest])
	for p := range parts {
		u.Parts = append(u.Parts, PartUse{Part: table[p].name, Holds: held[p], Share: s.of[p], What: table[p].what})
	}
	return u
}
