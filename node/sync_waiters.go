package node

// syncs is what waits until the disk has what was applied.
//
// Invariant: held is in the order of tokens, and tokens rise.
type syncs struct {
	held  []heldBack
	token uint64 // of the newest held back
	asked uint64 // the newest token that was handed out
}

type heldBack struct {
	token uint64
	f     func()
}

// after holds f back until everything applied so far is durable.
func (s *syncs) after(f func()) {
	if s.token == s.asked {
		s.token++
	}
	s.held = append(s.held, heldBack{s.token, f})
}

// ask is the token of a sync that is wanted, 0 if none is.
func (s *syncs) ask() uint64 {
	if s.token == s.asked {
		return 0
	}
	s.asked = s.token
	return s.token
}

// done goes on with what waited for a sync, and returns how much that was.
func (s *syncs) done(token uint64) (released int) {
	i := 0
	for i < len(s.held) && s.held[i].token <= token {
		i++
	}
	ready := s.held[:i:i]
	s.held = s.held[i:]
	for _, h := range ready {
		h.f()
	}
	return len(ready)
}
