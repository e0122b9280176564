package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"

	"isochron/routing"
	"isochron/sql/catalog"
	"isochron/txn"
)

// A backup file is
//
//	magic (8 bytes) | format version (4 bytes) | frames
//
// and a frame is
//
//	kind (1) | length of the content (4) | CRC-32C of all that but itself (4) | content
//
// The first frame is the header, the last the footer, with nothing after it;
// between them are chunks. Contents are CBOR with numbered fields.
const (
	magic         = "ISOCBACK"
	formatVersion = 1
	frameHead     = 9
	frameMax      = 80 << 20 // a page of an answer always fits

	kindHeader byte = 1
	kindChunk  byte = 2
	kindFooter byte = 3
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Header describes a backup.
type Header struct {
	Cluster   string        `cbor:"1,keyasint" json:"cluster"`
	Protocol  string        `cbor:"2,keyasint" json:"protocol"`
	At        txn.Timestamp `cbor:"3,keyasint" json:"timestamp"` // the read timestamp: ns of the leaders' clocks
	Regions   []string      `cbor:"4,keyasint" json:"regions"`
	TakenUnix int64         `cbor:"5,keyasint" json:"taken_unix_s"`
}

// Chunk is a piece of a backup. Table 0 is the catalogue.
type Chunk struct {
	Number uint64     `cbor:"1,keyasint"` // from 1, without gaps
	Table  uint64     `cbor:"2,keyasint,omitempty"`
	Shard  uint64     `cbor:"3,keyasint,omitempty"` // that held its first row
	Rows   []txn.Pair `cbor:"4,keyasint"`           // by rising key, in the chunk and over the chunks of a table
}

// Footer counts what a backup holds.
type Footer struct {
	Tables uint64 `cbor:"1,keyasint" json:"tables"` // that have rows here, the catalogue included
	Chunks uint64 `cbor:"2,keyasint" json:"chunks"`
	Rows   uint64 `cbor:"3,keyasint" json:"rows"`  // of the catalogue and of indexes too
	Bytes  uint64 `cbor:"4,keyasint" json:"bytes"` // of their keys and values
	Sum    []byte `cbor:"5,keyasint" json:"-"`     // SHA-256 of the file up to the footer
}

func (f *Footer) count(c *Chunk, newTable bool) {
	if newTable {
		f.Tables++
	}
	f.Chunks++
	f.Rows += uint64(len(c.Rows))
	for _, p := range c.Rows {
		f.Bytes += uint64(len(p.Key) + len(p.Value))
	}
}

// Writer writes a backup.
type Writer struct {
	w      io.Writer
	sum    hash.Hash
	footer Footer
	table  uint64
}

// NewWriter begins a backup.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	out := &Writer{w: w, sum: sha256.New(), table: ^uint64(0)}
	if err := out.write(binary.BigEndian.AppendUint32([]byte(magic), formatVersion)); err != nil {
		return nil, err
	}
	return out, out.frame(kindHeader, h)
}

func (w *Writer) write(b []byte) error {
	w.sum.Write(b)
	_, err := w.w.Write(b)
	return err
}

func (w *Writer) frame(kind byte, v any) error {
	content := txn.Encode(v)
	head := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(content)))
	sum := crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, content)
	if err := w.write(binary.BigEndian.AppendUint32(head, sum)); err != nil {
		return err
	}
	return w.write(content)
}

// Add writes rows of a table, 0 for the catalogue.
func (w *Writer) Add(table, shard uint64, rows []txn.Pair) error {
	c := Chunk{Number: w.footer.Chunks + 1, Table: table, Shard: shard, Rows: rows}
	w.footer.count(&c, table != w.table)
	w.table = table
	return w.frame(kindChunk, c)
}

// Finish writes the footer: without it the file is no backup.
func (w *Writer) Finish() (Footer, error) {
	w.footer.Sum = w.sum.Sum(nil)
	return w.footer, w.frame(kindFooter, w.footer)
}

// The ways in which a file is no backup that can be read.
var (
	ErrNoBackup  = errors.New("the file is not a backup of Isochron")
	ErrTruncated = errors.New("the backup is cut short: it has no end, so the rest of it is lost; use another backup")
	ErrDamaged   = errors.New("the backup is damaged: a checksum does not match; use another backup")
)

// Reader reads a backup and checks all of it on the way.
type Reader struct {
	Header Header
	r      io.Reader
	sum    hash.Hash
	seen   Footer
	footer *Footer
	table  uint64
	last   txn.Key
}

// NewReader reads the beginning of a backup.
func NewReader(r io.Reader) (*Reader, error) {
	in := &Reader{r: r, sum: sha256.New(), table: ^uint64(0)}
	head := make([]byte, len(magic)+4)
	if _, err := io.ReadFull(r, head); err != nil || string(head[:len(magic)]) != magic {
		return nil, ErrNoBackup
	}
	in.sum.Write(head)
	if v := binary.BigEndian.Uint32(head[len(magic):]); v != formatVersion {
		return nil, fmt.Errorf("the backup is of format %d; this program reads format %d: use the release that made it", v, formatVersion)
	}
	kind, content, err := in.frame()
	if err != nil {
		return nil, err
	}
	if kind != kindHeader || txn.Decode(content, &in.Header) != nil {
		return nil, ErrDamaged
	}
	return in, nil
}

// frame reads a frame; everything except a footer is hashed.
func (r *Reader) frame() (kind byte, content []byte, err error) {
	head := make([]byte, frameHead)
	if _, err := io.ReadFull(r.r, head); err != nil {
		return 0, nil, cut(err)
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > frameMax {
		return 0, nil, ErrDamaged
	}
	var b bytes.Buffer // grows with the data, not with the claimed length
	if _, err := io.CopyN(&b, r.r, int64(n)); err != nil {
		return 0, nil, cut(err)
	}
	content = b.Bytes()
	if crc32.Update(crc32.Checksum(head[:5], castagnoli), castagnoli, content) != binary.BigEndian.Uint32(head[5:]) {
		return 0, nil, ErrDamaged
	}
	if head[0] != kindFooter {
		r.sum.Write(head)
		r.sum.Write(content)
	}
	return head[0], content, nil
}

func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrTruncated
	}
	return err
}

// Next is the next chunk; io.EOF when the footer was read and all is well.
func (r *Reader) Next() (*Chunk, error) {
	if r.footer != nil {
		return nil, io.EOF
	}
	kind, content, err := r.frame()
	if err != nil {
		return nil, err
	}
	switch kind {
	case kindFooter:
		return nil, r.end(content)
	case kindChunk:
		c := new(Chunk)
		if err := txn.Decode(content, c); err != nil {
			return nil, ErrDamaged
		}
		return c, r.check(c)
	}
	return nil, ErrDamaged
}

// check sees that a chunk is in its place and its rows are where they belong.
func (r *Reader) check(c *Chunk) error {
	prefix := routing.SystemKey("")
	if c.Table != 0 {
		prefix = routing.TablePrefix(c.Table)
	}
	fresh := c.Table != r.table
	if fresh {
		if r.table != ^uint64(0) && c.Table <= r.table {
			return ErrDamaged
		}
		r.table, r.last = c.Table, ""
	}
	r.seen.count(c, fresh)
	if c.Number != r.seen.Chunks {
		return ErrDamaged
	}
	for _, p := range c.Rows {
		if p.Key <= r.last || len(p.Value) == 0 || len(p.Key) < len(prefix) || string(p.Key[:len(prefix)]) != prefix {
			return ErrDamaged
		}
		r.last = p.Key
	}
	return nil
}

func (r *Reader) end(content []byte) error {
	var f Footer
	if err := txn.Decode(content, &f); err != nil {
		return ErrDamaged
	}
	s := r.seen
	if f.Tables != s.Tables || f.Chunks != s.Chunks || f.Rows != s.Rows || f.Bytes != s.Bytes || !bytes.Equal(f.Sum, r.sum.Sum(nil)) {
		return ErrDamaged
	}
	if n, _ := io.ReadFull(r.r, make([]byte, 1)); n != 0 {
		return fmt.Errorf("the file continues after the end of the backup: %w", ErrDamaged)
	}
	r.footer = &f
	return io.EOF
}

// Contents is the content found in a complete backup.
type Contents struct {
	Header
	Footer
	// Sources names the external databases with tables of the catalogue: the backup has their
	// placement, and none of their rows.
	Sources []string   `json:"sources"`
	System  []txn.Pair `json:"-"` // the catalogue
}

// Verify reads a whole backup.
func Verify(from io.Reader) (Contents, error) {
	r, err := NewReader(from)
	if err != nil {
		return Contents{}, err
	}
	out := Contents{Header: r.Header}
	for {
		c, err := r.Next()
		if err == io.EOF {
			out.Footer = *r.footer
			out.Sources, err = catalog.SourcesOf(out.System)
			return out, err
		}
		if err != nil {
			return Contents{}, err
		}
		if c.Table == 0 {
			out.System = append(out.System, c.Rows...)
		}
	}
}
