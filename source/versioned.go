package source

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// versioned is a branch over versioned records (versions.go).
type versioned struct {
	v       *versions
	name    Name
	options BranchOptions
	seen    map[string]record // read records by key; version 0: no such row
	writes  map[string]string // new values by key; each key is in seen
	scans   []string          // prefixes that were scanned
}

// Execute implements Branch: writes stay in the agent until Prepare.
func (b *versioned) Execute(ctx context.Context, s Statement) (Result, error) {
	word, rest, _ := strings.Cut(s.Text, " ")
	key, arg, _ := strings.Cut(rest, " ")
	switch word {
	case "GET":
		value, there, err := b.get(ctx, key)
		if err != nil || !there {
			return Result{}, err
		}
		return Result{Rows: [][][]byte{{[]byte(key), []byte(value)}}}, nil
	case "PUT":
		_, _, err := b.get(ctx, key)
		return b.put(key, arg, err)
	case "ADD":
		was, _, err := b.get(ctx, key)
		x, _ := strconv.ParseInt(was, 10, 64)
		y, _ := strconv.ParseInt(arg, 10, 64)
		return b.put(key, strconv.FormatInt(x+y, 10), err)
	case "SCAN":
		return b.scan(ctx, key)
	}
	return b.v.alone(ctx, b.name, b.options, s) // not of the small language: returns the source's reply
}

// get reads a row, with this branch's own write if it has one.
func (b *versioned) get(ctx context.Context, key string) (value string, there bool, err error) {
	if value, there = b.writes[key]; there {
		return value, true, nil
	}
	r, ok := b.seen[key]
	if !ok {
		rows, err := b.v.read(ctx, b.name, b.options, "GET "+key)
		if err != nil {
			return "", false, err
		}
		if r, err = b.at(rows, key); err != nil {
			return "", false, err
		}
		b.seen[key] = r
	}
	return r.value, r.version != 0, nil
}

// at returns the record of a key among rows.
func (b *versioned) at(rows []storedRow, key string) (record, error) {
	i := slices.IndexFunc(rows, func(row storedRow) bool { return row.key == key })
	if i < 0 {
		return record{}, nil
	}
	r, ok := parseRecord(rows[i].text)
	switch {
	case !ok:
		return record{}, &Error{Code: 1366, State: "HY000", Text: fmt.Sprintf("%s has no version: it was written under another protocol", key), Ends: true}
	case r.prepared != "":
		return r, b.lost(key, "prepared by another transaction")
	}
	return r, nil
}

// lost is the error of a conflict with another transaction.
func (b *versioned) lost(key, cause string) error {
	return &Error{Code: 1213, State: "40001", Text: key + ": " + cause, Ends: true, Again: true}
}

func (b *versioned) put(key, value string, err error) (Result, error) {
	if err != nil {
		return Result{}, err
	}
	b.writes[key] = value
	return Result{Affected: 1}, nil
}

// scan reads all rows under a prefix, with this branch's own writes.
func (b *versioned) scan(ctx context.Context, prefix string) (out Result, err error) {
	rows, err := b.v.read(ctx, b.name, b.options, "SCAN "+prefix)
	if err != nil {
		return Result{}, err
	}
	values := map[string]string{}
	for _, row := range rows {
		r, err := b.at(rows, row.key)
		if err != nil {
			return Result{}, err
		}
		if was, ok := b.seen[row.key]; ok && was.version != r.version {
			return Result{}, b.lost(row.key, "changed since it was read")
		}
		b.seen[row.key], values[row.key] = r, r.value
	}
	for key, value := range b.writes { // order: into a map
		if strings.HasPrefix(key, prefix) {
			values[key] = value
		}
	}
	b.scans = append(b.scans, prefix)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		out.Rows = append(out.Rows, [][]byte{[]byte(key), []byte(values[key])})
	}
	return out, nil
}

// Prepare implements Branch.
func (b *versioned) Prepare(ctx context.Context) error {
	var put []swap
	keys := slices.Sorted(maps.Keys(b.writes))
	for _, key := range keys {
		s := swap{key: key}
		if was := b.seen[key]; was.version != 0 {
			s.old = was.text()
		}
		s.new = record{version: b.seen[key].version + 1, value: b.writes[key], prepared: b.name.String(), before: s.old}.text()
		put = append(put, s)
	}
	if len(put) > 0 {
		put = append(put, swap{key: preparedTable + b.name.String(), new: strings.Join(keys, " ")})
		done, err := b.v.swapAll(ctx, b.name, b.options, put)
		switch {
		case err != nil:
			return err
		case !done:
			return b.lost(strings.Join(keys, " "), "one of these keys changed since it was read, or is prepared by another transaction")
		}
	}
	b.v.note(b.name, put)
	return nil
}

// unchecked reports whether the branch has reads to validate: of keys it does not write, or scans.
func (b *versioned) unchecked() bool {
	return len(b.scans) > 0 || slices.ContainsFunc(slices.Sorted(maps.Keys(b.seen)), func(key string) bool { return !b.written(key) })
}

func (b *versioned) written(key string) bool {
	_, ok := b.writes[key]
	return ok
}

// validate checks that every row that was read and is not written is unchanged: it has the version that
// was read and is not prepared by another. It runs once all of the transaction is prepared.
func (b *versioned) validate(ctx context.Context) error {
	looked := map[string]bool{}
	for _, prefix := range b.scans {
		rows, err := b.v.read(ctx, b.name, b.options, "SCAN "+prefix)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if looked[row.key] = true; b.written(row.key) {
				continue
			}
			if err := b.stillValid(rows, row.key); err != nil {
				return err
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b.seen)) {
		if looked[key] || b.written(key) {
			continue
		}
		rows, err := b.v.read(ctx, b.name, b.options, "GET "+key)
		if err != nil {
			return err
		}
		if err := b.stillValid(rows, key); err != nil {
			return err
		}
	}
	return nil
}

// stillValid checks that a row is as it was read, or still missing.
func (b *versioned) stillValid(rows []storedRow, key string) error {
	r, err := b.at(rows, key)
	if err == nil && r.version != b.seen[key].version {
		err = b.lost(key, "changed since it was read")
	}
	return err
}

// Commit implements Branch and always fails: without a prepare there is no place for the versions.
func (b *versioned) Commit(context.Context) error {
	return &Error{Text: "a branch over versions is prepared, and commits by a decision", Ends: true}
}

// Rollback implements Branch: before its prepare the branch exists only here.
func (b *versioned) Rollback(context.Context) error { return nil }
