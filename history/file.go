package history

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A history in a file has a first line that identifies it and a
// last one with the number of records: a file cut
// short between two lines would otherwise look like a shorter history.

// fileFormat is the version of the file; it is raised when old readers would misread it.
const fileFormat = 1

type firstLine struct {
	Format   int    `json:"isochron_history"`
	Workload string `json:"workload"`
}

type lastLine struct {
	End *int `json:"end"` // records in the file
}

// lineMax bounds one record: a transaction that read a hundred lists of many
// thousand elements.
const lineMax = 64 << 20

// Save writes a history so that Load can check its completeness.
func Save(w io.Writer, workload string, h *History) error {
	buf := bufio.NewWriter(w)
	enc := json.NewEncoder(buf)
	if err := enc.Encode(firstLine{fileFormat, workload}); err != nil {
		return err
	}
	if err := h.Write(buf); err != nil {
		return err
	}
	n := len(h.Records)
	if err := enc.Encode(lastLine{&n}); err != nil {
		return err
	}
	return buf.Flush()
}

// Load reads a file written by Save, and returns the name of the workload.
func Load(r io.Reader) (*History, string, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, lineMax)
	var first firstLine
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &first) != nil || first.Format == 0 {
		return nil, "", errorsFirst(lines.Err(), errors.New("not a recorded history: the first line has no format"))
	}
	if first.Format != fileFormat {
		return nil, "", fmt.Errorf("the history is of format %d, and this program reads format %d", first.Format, fileFormat)
	}
	h := new(History)
	for lines.Scan() {
		var last lastLine
		if err := json.Unmarshal(lines.Bytes(), &last); err == nil && last.End != nil {
			if *last.End != len(h.Records) || lines.Scan() {
				return nil, "", fmt.Errorf("the history is damaged: its last line counts %d records, which does not match", *last.End)
			}
			return h, first.Workload, lines.Err()
		}
		rec := new(Record)
		if err := json.Unmarshal(lines.Bytes(), rec); err != nil {
			return nil, "", fmt.Errorf("the history is damaged or cut short: line %d is not a record", len(h.Records)+2)
		}
		if err := rec.sane(); err != nil {
			return nil, "", fmt.Errorf("the history is malformed: line %d: %w", len(h.Records)+2, err)
		}
		h.Add(rec)
	}
	return nil, "", errorsFirst(lines.Err(), fmt.Errorf("the history was cut short: its last line is missing after %d records", len(h.Records)))
}

// sane returns an error for content that no history may have: a checker would ignore it.
func (r *Record) sane() error {
	switch {
	case r.Outcome != OK && r.Outcome != Fail && r.Outcome != Unknown:
		return fmt.Errorf("the outcome is %q, which is neither ok, fail nor unknown", r.Outcome)
	case r.CompleteNanos < r.InvokeNanos:
		return fmt.Errorf("it ended at %d ns, before its start at %d ns", r.CompleteNanos, r.InvokeNanos)
	}
	for _, op := range r.Ops {
		if !slices.Contains(everyKind, op.Kind) {
			return fmt.Errorf("unknown kind of operation %q", op.Kind)
		}
	}
	return nil
}

func errorsFirst(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
