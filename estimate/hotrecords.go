package estimate

import (
	"math"
	"time"

	"isochron/txn"
)

// HotRecords are a gateway's statistics of the records for which its transactions contend
// (GeoTP section 4.3, the hotspot footprint). From them it forecasts how long a part of a
// transaction will wait at its place, and how likely it is to lose.
//
// How it thinks. Of each record it keeps how long a part waits for it (w_lat), how many
// transactions have accessed it and how many of them have committed (t_cnt, c_cnt), and how
// many do now (a_cnt). No record's wait can be measured: a part's time is divided among
// its records as they have waited so far (Eq. 4). The records stand in one ordered tree,
// so that what a predicate on a range may meet is found as a key is, and in a list by when
// they were last admitted: beyond the bounds the longest untouched is forgotten, whoever
// accesses it, for a record that nobody has asked for since so many others is not hot.
//
// How it is used, for each transaction:
//
//	f := hot.Open()                // a transaction comes
//	c := f.Forecast(of)            // of what it asks for next: latency, and chance to be granted
//	w := f.Admit(of)               // it is let in: a_cnt rises
//	w.Executed(took)               // the part was answered: w_lat (Eq. 4)
//	f.End(committed)               // the transaction has ended: t_cnt, c_cnt; a_cnt falls
//
// What the caller owes it. It calls from one goroutine, Executed at most once for each part
// that was granted all it asked for, and End when the transaction's locks are free. All
// costs O(log n) for each key, and for each scan, with as many known records of it as count.
type HotRecords struct {
	cfg HotConfig
	recent[contended]
	visits uint64 // looks, by which a record is told that was met in this one
}

// HotConfig are the settings of HotRecords. Zero fields mean the defaults.
type HotConfig struct {
	RecordsMax int     // known at once; 65,536
	BytesMax   int     // what they take, with their keys; 16 MiB
	PerTxn     int     // records of one transaction that count, those it meets first; 256
	OldWeight  float64 // alpha of Eq. 4: of w_lat so far in the next one, from 0 to below 1; 0.75
	Scale      float64 // of a forecast, above 0 and at most 1; 0.25
	CountMax   int     // where t_cnt would be above it, it and c_cnt are halved; 32
}

// The defaults. The weight, the scale and the count are of GeoTP's prototype; the paper
// says of the second alone that it should be there (section 4.3: "scale down the predicted
// latency"), for a forecast that is too long makes the part that waits for it the slowest.
const (
	DefaultHotRecordsMax = 1 << 16
	DefaultHotBytesMax   = 16 << 20
	DefaultHotPerTxn     = 256
	DefaultHotOldWeight  = 0.75
	DefaultHotScale      = 0.25
	DefaultHotCountMax   = 32
)

// hotRecordBytes is what a record takes beside its key's bytes: itself, and its place in
// the tree. BenchmarkHotRecordsMemory measures it.
const hotRecordBytes = 128

func (c HotConfig) withDefaults() HotConfig {
	if c.RecordsMax <= 0 {
		c.RecordsMax = DefaultHotRecordsMax
	}
	if c.BytesMax <= 0 {
		c.BytesMax = DefaultHotBytesMax
	}
	if c.PerTxn <= 0 {
		c.PerTxn = DefaultHotPerTxn
	}
	if c.OldWeight <= 0 || c.OldWeight >= 1 {
		c.OldWeight = DefaultHotOldWeight
	}
	if c.Scale <= 0 || c.Scale > 1 {
		c.Scale = DefaultHotScale
	}
	if c.CountMax <= 0 {
		c.CountMax = DefaultHotCountMax
	}
	return c
}

// hotRecord is one record that was accessed of late, and contended what is known of it.
type hotRecord = record[contended]

type contended struct {
	wait      float64 // w_lat, nanoseconds
	visit     uint64  // the last look that met it
	accessed  uint32  // t_cnt
	committed uint32  // c_cnt
	accessing uint32  // a_cnt
	measured  bool    // wait has taken something in
}

// NewHotRecords knows nothing yet.
func NewHotRecords(cfg HotConfig) *HotRecords {
	h := &HotRecords{cfg: cfg.withDefaults()}
	h.init(h.cfg.RecordsMax, h.cfg.BytesMax, hotRecordBytes)
	return h
}

// Len is how many records are known.
func (h *HotRecords) Len() int { return h.all.Len() }

// Bytes is about what they take.
func (h *HotRecords) Bytes() int { return h.bytes }

// HotRecord is what is known of one record.
type HotRecord struct {
	Key       txn.Key
	Wait      time.Duration // w_lat, not scaled
	Accessed  int           // t_cnt, by transactions that have ended
	Committed int           // c_cnt, of these
	Accessing int           // a_cnt, now
}

// Of is what is known of a record; false if it is not.
func (h *HotRecords) Of(k txn.Key) (HotRecord, bool) {
	r, ok := h.all.Get(k)
	if !ok {
		return HotRecord{}, false
	}
	return HotRecord{Key: k, Wait: time.Duration(r.is.wait), Accessed: int(r.is.accessed), Committed: int(r.is.committed), Accessing: int(r.is.accessing)}, true
}

// granted is the record's factor of Eq. 9: the chance that all who wait for it already are
// granted it. One of those who access it holds it, the others wait. It is 1 of a record
// that no transaction has accessed to its end.
func (r *contended) granted() float64 {
	if r.accessed == 0 || r.accessing <= 1 {
		return 1
	}
	return math.Pow(float64(r.committed)/float64(r.accessed), float64(r.accessing-1))
}

// ended takes in that a transaction is through with the record.
func (r *contended) ended(committed bool, countMax uint32) {
	r.accessing--
	r.accessed++
	if committed {
		r.committed++
	}
	if r.accessed > countMax {
		r.accessed, r.committed = r.accessed/2, r.committed/2
	}
}
