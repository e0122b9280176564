package archive

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"isochron/routing"
	"isochron/txn"
)

// sample is a small backup of the catalogue and one table.
func sample(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, Header{Cluster: "c", Protocol: "p", At: 7, Regions: []string{"r1"}, TakenUnix: 1})
	if err != nil {
		t.Fatal(err)
	}
	table := txn.Key(routing.TablePrefix(4))
	for _, c := range []struct {
		table uint64
		rows  []txn.Pair
	}{
		{0, []txn.Pair{{Key: txn.Key(routing.SystemKey("db/d")), Value: []byte("d")}}},
		{4, []txn.Pair{{Key: table + "a", Value: []byte("1")}, {Key: table + "b", Value: []byte("2")}}},
		{4, []txn.Pair{{Key: table + "c", Value: []byte("3")}}},
	} {
		if err := w.Add(c.table, 2, c.rows); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAWholeBackupIsSound(t *testing.T) {
	got, err := Verify(bytes.NewReader(sample(t)))
	if err != nil || got.Rows != 4 || got.Tables != 2 || got.Chunks != 3 || len(got.System) != 1 || got.At != 7 {
		t.Fatalf("%+v, %v", got, err)
	}
}

// However a backup is cut, it is noticed.
func TestACutBackupIsNoBackup(t *testing.T) {
	whole := sample(t)
	for n := range whole {
		_, err := Verify(bytes.NewReader(whole[:n]))
		if !errors.Is(err, ErrTruncated) && !(n < len(magic)+4 && errors.Is(err, ErrNoBackup)) {
			t.Fatalf("cut after %d of %d bytes: %v", n, len(whole), err)
		}
	}
}

// Whatever bit turns, it is noticed.
func TestADamagedBackupIsNoBackup(t *testing.T) {
	whole := sample(t)
	for i := range whole {
		for bit := range 8 {
			b := bytes.Clone(whole)
			b[i] ^= 1 << bit
			if _, err := Verify(bytes.NewReader(b)); err == nil {
				t.Fatalf("bit %d of byte %d flipped is not detected", bit, i)
			}
		}
	}
	if _, err := Verify(bytes.NewReader(append(bytes.Clone(whole), 0))); !errors.Is(err, ErrDamaged) {
		t.Errorf("a byte too many: %v", err)
	}
}

// frames cuts a backup at its frames: magic and version first.
func frames(b []byte) [][]byte {
	out := [][]byte{b[:len(magic)+4]}
	for b = b[len(magic)+4:]; len(b) > 0; {
		n := frameHead + int(binary.BigEndian.Uint32(b[1:]))
		out, b = append(out, b[:n]), b[n:]
	}
	return out
}

// A chunk that is missing, twice there, or in another's place has a good
// checksum of its own.
func TestChunksAreCounted(t *testing.T) {
	f := frames(sample(t)) // magic, header, 3 chunks, footer
	for name, order := range map[string][]int{
		"missing": {0, 1, 2, 4, 5}, "twice": {0, 1, 2, 3, 3, 4, 5}, "exchanged": {0, 1, 2, 4, 3, 5},
		"the last missing": {0, 1, 2, 3, 5}, "two footers": {0, 1, 2, 3, 4, 5, 5}, "no header": {0, 2, 3, 4, 5},
	} {
		var b []byte
		for _, i := range order {
			b = append(b, f[i]...)
		}
		if _, err := Verify(bytes.NewReader(b)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	later := sample(t)
	later[len(magic)+3] = 9
	for want, b := range map[string][]byte{
		"is not a backup": []byte("-- MySQL dump 10.13\nCREATE TABLE t (id INT);"), "is of format 9": later, "is not a backup of": nil,
	} {
		if _, err := Verify(bytes.NewReader(b)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

// A failing disk is reported as such, and not as a short file.
func TestAReadErrorIsItself(t *testing.T) {
	broken := errors.New("the disk is broken")
	from := io.MultiReader(bytes.NewReader(sample(t)[:60]), errReader{broken})
	if _, err := Verify(from); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

// FuzzVerify: no file makes the reader panic or allocate without bound, and a file differing from a written one is refused.
func FuzzVerify(f *testing.F) {
	whole := sample(f)
	f.Add(whole)
	f.Add(whole[:len(whole)-3])
	f.Add([]byte(magic + "\x00\x00\x00\x01\x01\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := Verify(bytes.NewReader(b))
		if err != nil {
			return
		}
		rows := uint64(0)
		r, _ := NewReader(bytes.NewReader(b))
		for {
			c, err := r.Next()
			if err == io.EOF {
				break
			}
			rows += uint64(len(c.Rows))
		}
		if rows != got.Rows {
			t.Errorf("%d rows, the footer has %d", rows, got.Rows)
		}
	})
}
