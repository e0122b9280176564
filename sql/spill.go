package sql

import (
	"fmt"
	"os"

	"isochron/sql/exec"
	"isochron/sql/memory"
	"isochron/sql/sysvars"
)

// spillParts is the part of a statement's memory that one operator holds before it writes rows to files: several of a plan
// hold rows at a time.
const spillParts = 8

// codeFilesFull is MySQL's number for a statement whose files would be too large.
const codeFilesFull = 3170

// spillMemory is the memory of a statement with its temporary files.
type spillMemory struct {
	*memory.Account
	files *exec.SpillFiles
}

// Spill is how operators find the files; nil: there are none.
func (m *spillMemory) Spill() *exec.SpillFiles { return m.files }

// spillMemory is the memory of the statement at hand.
func (s *Session) spillMemory() exec.Memory {
	account := s.account.Load()
	dir, most := s.gateway.spillDir, s.Chosen().Files
	if dir == "" || most == 0 || account == nil {
		return account
	}
	full := refusal(codeFilesFull, fmt.Sprintf("Capacity of %d bytes for 'temporary files of a statement' exceeded (%s). Sort, group or join fewer rows at a time, or raise it", most, sysvars.StatementFiles))
	return &spillMemory{account, exec.NewSpillFiles(dir, most, account.Statement/spillParts, full)}
}

// openSpillDir makes the directory of temporary files, and removes what an earlier process left in it.
func openSpillDir(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("the directory of temporary files cannot be made: %w", err)
	}
	if err := exec.ClearSpillFiles(dir); err != nil {
		return fmt.Errorf("temporary files of an earlier process cannot be removed: %w", err)
	}
	return nil
}
