package exec

import (
	"bytes"
	"context"

	"isochron/sql/expr"
)

// diskRuns are sorted runs of rows in a file, in the order in which their rows were added. A record is a key and a row.
type diskRuns struct {
	file   *spillFile
	runs   []diskRun // written and not merged yet
	buffer []byte
	heap   []*runReader // of the merge at hand: the least first
	rows   rowReader
}

// diskRun is a part of the file.
type diskRun struct{ from, to int64 }

// runReader reads a run.
type runReader struct {
	spillReader
	place    int // of the run: of equal keys the one of the first run comes first
	head     uint64
	key, row []byte // of the record at hand
}

// fanMax are the most runs that are merged at a time: each needs a buffer.
const fanMax = 64

func (d *diskRuns) begin() {
	d.runs = append(d.runs, diskRun{from: d.file.size})
}

func (d *diskRuns) write(key []byte, row []expr.Value) error {
	d.buffer = appendRow(d.buffer[:0], row)
	return d.file.write(key, d.buffer)
}

func (d *diskRuns) end() error {
	d.runs[len(d.runs)-1].to = d.file.size
	return d.file.flush()
}

// merge readies the runs to be read as one. While there are too many, it merges neighbours into longer ones.
func (d *diskRuns) merge(ctx context.Context, a *account) error {
	fan, err := d.reserve(a)
	if err != nil {
		return err
	}
	for len(d.runs) > fan {
		old := d.runs
		d.runs = nil
		for len(old) > 0 {
			n := min(len(old), fan)
			if err := d.mergeInto(ctx, old[:n]); err != nil {
				return err
			}
			old = old[n:]
		}
	}
	return d.open(d.runs)
}

// reserve charges buffers for as many runs as are to be merged at a time: those in the operator's share or, if Memory
// refuses them, fewer, but two at least.
func (d *diskRuns) reserve(a *account) (fan int, err error) {
	fan = int(min(max(d.file.files.Share/spillBuffer, 2), fanMax))
	for fan = min(fan, len(d.runs)); ; fan = (fan + 1) / 2 {
		a.due = int64(fan * spillBuffer)
		if err = a.settle(); err == nil || fan <= 2 {
			return fan, err
		}
	}
}

// mergeInto merges runs into one at the end of the file.
func (d *diskRuns) mergeInto(ctx context.Context, runs []diskRun) error {
	if err := d.open(runs); err != nil {
		return err
	}
	d.begin()
	for i := 0; len(d.heap) > 0; i++ {
		if i%BatchMax == 0 {
			if err := cancelled(ctx); err != nil {
				return err
			}
		}
		r := d.heap[0]
		if err := d.file.write(r.key, r.row); err != nil {
			return err
		}
		if err := d.advance(); err != nil {
			return err
		}
	}
	return d.end()
}

// open makes a heap of runs.
func (d *diskRuns) open(runs []diskRun) error {
	d.heap = nil
	for i, run := range runs {
		r := &runReader{spillReader: spillReader{file: d.file, at: run.from, to: run.to}, place: i}
		if !r.more() {
			continue
		}
		if err := r.advance(); err != nil {
			return err
		}
		d.heap = append(d.heap, r)
	}
	for i := len(d.heap)/2 - 1; i >= 0; i-- {
		d.down(i)
	}
	return nil
}

// next is the next row of the merged runs with its key; a row of nil is the end.
func (d *diskRuns) next() (key []byte, row []expr.Value, err error) {
	if len(d.heap) == 0 {
		return nil, nil, nil
	}
	r := d.heap[0]
	key = r.key
	if row, err = d.rows.row(r.row, BatchMax); err != nil {
		return nil, nil, err
	}
	return key, row, d.advance()
}

// advance takes the first record off the heap.
func (d *diskRuns) advance() error {
	r := d.heap[0]
	if r.more() {
		if err := r.advance(); err != nil {
			return err
		}
	} else {
		last := len(d.heap) - 1
		d.heap[0] = d.heap[last]
		d.heap = d.heap[:last]
	}
	d.down(0)
	return nil
}

func (r *runReader) advance() (err error) {
	r.key, r.row, err = r.next()
	r.head = headOf(r.key)
	return err
}

func (r *runReader) less(b *runReader) bool {
	if r.head != b.head {
		return r.head < b.head
	}
	if c := bytes.Compare(r.key, b.key); c != 0 {
		return c < 0
	}
	return r.place < b.place
}

// down moves the reader at i down the heap to its place.
func (d *diskRuns) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(d.heap); child++ {
			if d.heap[child].less(d.heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		d.heap[i], d.heap[least] = d.heap[least], d.heap[i]
		i = least
	}
}

func (d *diskRuns) close() {
	d.heap = nil
	d.file.close()
}
