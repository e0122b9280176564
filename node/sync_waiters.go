package node

// syncs are the calls that wait until applied writes are durable.
//
// Invariant: held is in the order of tokens, and tokens rise.
type syncs struct {
	held  []heldBack
	token uint64 // of the newest waiting call
	asked uint64 // the newest token returned by ask
}

type heldBack struct {
	token uint64
	f     func()
}

// after registers f to run when everything applied so far is durable.
func (s *syncs) after(f func()) {
	if s.token == s.asked {
		s.token++
	}
	s.held = append(s.held, heldBack{s.token, f})
}

// ask returns the token of a needed sync, 0 if none is needed.
func (s *syncs) ask() uint64 {
	if s.token == s.asked {
		return 0
	}
	s.asked = s.token
	return s.token
}

// done runs the calls that waited for a sync, and returns their number.
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
