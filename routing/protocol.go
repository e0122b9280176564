package routing

import (
	"fmt"
	"time"
)

// Protocol says how the transactions of a cluster commit, and how that changes.
// The change is in two steps: a switch is begun (To), while which every gateway
// brings its transactions to an end and begins no others; then it is entered
// (Seq, Name), or given up.
type Protocol struct {
	// Seq rises with every switch that is entered. Name is what holds since; with
	// Seq 0 it is empty, and what the cluster began with holds.
	Seq  uint64 `cbor:"1,keyasint,omitempty" json:"seq"`
	Name string `cbor:"2,keyasint,omitempty" json:"name,omitempty"`
	// To is what a switch under way leads to, "": there is none. Try counts those
	// that were begun.
	To  string `cbor:"3,keyasint,omitempty" json:"to,omitempty"`
	Try uint64 `cbor:"4,keyasint,omitempty" json:"try,omitempty"`
	// DrainMillis is how long open transactions may go on, LimitMillis when a
	// switch is given up; both from its beginning.
	DrainMillis int64 `cbor:"5,keyasint,omitempty" json:"drain_ms,omitempty"`
	LimitMillis int64 `cbor:"6,keyasint,omitempty" json:"limit_ms,omitempty"`
	// Absent: nodes that are silent do not keep it from being entered.
	Absent bool `cbor:"7,keyasint,omitempty" json:"absent,omitempty"`
	// Failed is why the last try was given up.
	Failed string `cbor:"8,keyasint,omitempty" json:"failed,omitempty"`
}

// The bounds of a switch.
const (
	DrainMax = 10 * time.Minute
	LimitMax = 20 * time.Minute
)

// Under reports whether a switch is under way.
func (p Protocol) Under() bool { return p.To != "" }

// InForce is the name of what holds, in a cluster that began with a protocol.
func (p Protocol) InForce(began string) string {
	if p.Seq == 0 {
		return began
	}
	return p.Name
}

// Begin begins a switch to want.To, within the times of want. inForce is the name
// of what holds now. Begun again it changes nothing, and neither does a switch to
// what holds already.
func (p *Protocol) Begin(inForce string, want Protocol) error {
	drain, limit := time.Duration(want.DrainMillis)*time.Millisecond, time.Duration(want.LimitMillis)*time.Millisecond
	switch {
	case want.To == "":
		return fmt.Errorf("no protocol is named")
	case drain < 0 || drain > DrainMax || limit < drain || limit > LimitMax:
		return fmt.Errorf("a switch drains for %v at most and is given up after that, within %v; not after %v and %v", DrainMax, LimitMax, drain, limit)
	case p.Under() && p.To != want.To:
		return fmt.Errorf("a switch to %s is under way: wait for its end", p.To)
	case p.Under(), want.To == inForce:
		return nil
	}
	p.To, p.DrainMillis, p.LimitMillis, p.Absent, p.Failed = want.To, want.DrainMillis, want.LimitMillis, want.Absent, ""
	p.Try++
	return nil
}

// Enter makes what a switch leads to hold; false if that try is not under way.
func (p *Protocol) Enter(try uint64) bool {
	if !p.Under() || p.Try != try {
		return false
	}
	*p = Protocol{Seq: p.Seq + 1, Name: p.To, Try: p.Try}
	return true
}

// GiveUp ends a switch without it; false if that try is not under way.
func (p *Protocol) GiveUp(try uint64, reason string) bool {
	if !p.Under() || p.Try != try {
		return false
	}
	*p = Protocol{Seq: p.Seq, Name: p.Name, Try: p.Try, Failed: reason}
	return true
}
