package history

import (
	"errors"
	"slices"
)

// Check checks a history by its kinds of operations: lists, registers, or both
// together. It returns an error if the history has none that can be checked without further
// information, such as the bank's rules.
func Check(h *History) (*Report, error) {
	lists, registers := h.has(listKinds), h.has(registerKinds)
	switch {
	case lists && registers:
		report := CheckLists(h)
		report.Violations = append(report.Violations, CheckRegisters(h).Violations...)
		return report, nil
	case registers:
		return CheckRegisters(h), nil
	case lists || !slices.ContainsFunc(h.Records, func(r *Record) bool { return len(r.Ops) > 0 }):
		return CheckLists(h), nil
	}
	return nil, errors.New("its steps are neither of lists (append, read) nor of registers (put, get): only these can be judged from a file")
}

func (h *History) has(kinds []Kind) bool {
	return slices.ContainsFunc(h.Records, func(r *Record) bool {
		return slices.ContainsFunc(r.Ops, func(op Op) bool { return slices.Contains(kinds, op.Kind) })
	})
}
