package sql

import (
	"context"
	"fmt"

	"isochron/sql/exec"
	"isochron/sql/memory"
	"isochron/sql/sysvars"
)

// spillParts is the part of a statement's memory that one operator holds before it writes rows to files: several of a plan
// hold rows at a time, and one that comes late spills where memory is refused.
const spillParts = 4

// MySQL's numbers for files that would be too large: those of a statement, and those of all statements.
const (
	codeFilesFull    = codeCapacity
	codeAllFilesFull = 1041
)

// spillMemory is the memory of a statement with its temporary files.
type spillMemory struct {
	*memory.Account
	s     *Session
	files *exec.SpillFiles // nil: no operator has asked for them
}

// spillMemory is the memory of the statement at hand.
func (s *Session) spillMemory() exec.Memory {
	account := s.account.Load()
	if s.gateway.spill == nil || account == nil {
		return account
	}
	return &spillMemory{Account: account, s: s}
}

// Spill is how operators find the files; nil: there are none.
func (m *spillMemory) Spill() *exec.SpillFiles {
	if most := m.s.Chosen().Files; m.files == nil && most > 0 {
		m.files = m.s.gateway.spill.Files(m.bounds(most))
	}
	return m.files
}

// bounds are those of the files, of which the statement may have so many bytes.
func (m *spillMemory) bounds(most int64) exec.SpillBounds {
	all := int64(bound(context.Background(), sysvars.NodeFiles, sysvars.NodeFilesDefault))
	b := exec.SpillBounds{Most: most, All: all, Share: m.s.gateway.spillShare}
	if b.Share == 0 {
		b.Share = m.Statement / spillParts
	}
	b.Full = refusal(codeFilesFull, fmt.Sprintf("Capacity of %d bytes for 'temporary files of a statement' exceeded (%s). Sort, group or join fewer rows at a time, or raise it", most, sysvars.StatementFiles))
	b.AllFull = refusal(codeAllFilesFull, fmt.Sprintf("Out of resources; temporary files of all statements of this node would hold more than %d bytes (%s): try again later", all, sysvars.NodeFiles))
	return b
}
