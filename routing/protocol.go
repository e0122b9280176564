package routing

import (
	"fmt"
	"time"
)

// Protocol is the protocol of a cluster's transactions, and its switch.
// A switch has two steps: it begins (To), and every gateway drains
// its transactions and starts no others; then the new protocol is entered
// (Seq, Name), or the switch is cancelled.
type Protocol struct {
	// Seq rises with every completed switch. Name is the protocol in force since; with
	// Seq 0 it is empty, and the cluster's first protocol is in force.
	Seq  uint64 `cbor:"1,keyasint,omitempty" json:"seq"`
	Name string `cbor:"2,keyasint,omitempty" json:"name,omitempty"`
	// To is the target of a switch in progress, "": there is none. Try counts the
	// switches begun.
	To  string `cbor:"3,keyasint,omitempty" json:"to,omitempty"`
	Try uint64 `cbor:"4,keyasint,omitempty" json:"try,omitempty"`
	// DrainMillis is the time for which open transactions may continue, LimitMillis the time after
	// which a switch is cancelled; both from its beginning.
	DrainMillis int64 `cbor:"5,keyasint,omitempty" json:"drain_ms,omitempty"`
	LimitMillis int64 `cbor:"6,keyasint,omitempty" json:"limit_ms,omitempty"`
	// Absent: unreachable nodes do not block the switch.
	Absent bool `cbor:"7,keyasint,omitempty" json:"absent,omitempty"`
	// Failed is the reason why the last switch was cancelled.
	Failed string `cbor:"8,keyasint,omitempty" json:"failed,omitempty"`
}

// The bounds of a switch.
const (
	DrainMax = 10 * time.Minute
	LimitMax = 20 * time.Minute
)

// Under reports whether a switch is in progress.
func (p Protocol) Under() bool { return p.To != "" }

// InForce returns the protocol in force, in a cluster whose first protocol was began.
func (p Protocol) InForce(began string) string {
	if p.Seq == 0 {
		return began
	}
	return p.Name
}

// Begin begins a switch to want.To, with the time limits of want. inForce is the protocol
// in force. Repeating it changes nothing, and neither does a switch to the protocol
// in force.
func (p *Protocol) Begin(inForce string, want Protocol) error {
	drain, limit := time.Duration(want.DrainMillis)*time.Millisecond, time.Duration(want.LimitMillis)*time.Millisecond
	switch {
	case want.To == "":
		return fmt.Errorf("no protocol is named")
	case drain < 0 || drain > DrainMax || limit < drain || limit > LimitMax:
		return fmt.Errorf("the drain time must be at most %v, and the limit at least the drain time and at most %v; got %v and %v", DrainMax, LimitMax, drain, limit)
	case p.Under() && p.To != want.To:
		return fmt.Errorf("a switch to %s is under way: wait for its end", p.To)
	case p.Under(), want.To == inForce:
		return nil
	}
	p.To, p.DrainMillis, p.LimitMillis, p.Absent, p.Failed = want.To, want.DrainMillis, want.LimitMillis, want.Absent, ""
	p.Try++
	return nil
}

// Enter completes a switch; false if that try is not in progress.
func (p *Protocol) Enter(try uint64) bool {
	if !p.Under() || p.Try != try {
		return false
	}
	*p = Protocol{Seq: p.Seq + 1, Name: p.To, Try: p.Try}
	return true
}

// GiveUp cancels a switch; false if that try is not in progress.
func (p *Protocol) GiveUp(try uint64, reason string) bool {
	if !p.Under() || p.Try != try {
		return false
	}
	*p = Protocol{Seq: p.Seq, Name: p.Name, Try: p.Try, Failed: reason}
	return true
}
