package memory

// Use is the memory that a node uses.
type Use struct {
	Setting  int64     `json:"setting"`  // bytes that the node may use
	Resident int64     `json:"resident"` // that it uses, as the kernel reports; 0: unknown
	Heap     int64     `json:"heap"`     // of Go, including garbage
	Parts    []PartUse `json:"parts"`
}

// PartUse is the memory that one part uses, in bytes.
type PartUse struct {
	Part  string `json:"part"`
	Holds int64  `json:"holds"` // now, as the part counts
	Share int64  `json:"share"` // its bound
	What  string `json:"what"`
}

// Held has the parts' own counts. Garbage and Rest are computed.
type Held [parts]int64

// Use returns the use of the shares.
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
