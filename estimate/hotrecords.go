package estimate

import (
	"math"
	"time"

	"isochron/txn"
)

// HotRecords are a gateway's statistics of the records for which its transactions contend
// (GeoTP section 4.3, the hotspot footprint). They predict how long a part of a
// transaction will wait at its place, and its chance to lose.
//
// How it works. For each record it keeps the wait of a part for it (w_lat), the numbers of
// transactions that have accessed it and of the committed ones (t_cnt, c_cnt), and the number that
// access it now (a_cnt). A single record's wait cannot be measured: a part's time is divided among
// its records in proportion to their waits so far (Eq. 4). The records are in one ordered tree, so
// that the records of a range are found like a key, and in a list by the time of their last
// admission: beyond the bounds the least recently touched is evicted, even while it is accessed,
// because a record not requested since so many others is not hot.
//
// Use, for each transaction:
//
//	f := hot.Open()                // a transaction starts
//	c := f.Forecast(of)            // for its next request: latency, and chance to be granted
//	w := f.Admit(of)               // admitted: a_cnt rises
//	w.Executed(took)               // the part was answered: w_lat (Eq. 4)
//	f.End(committed)               // the transaction has ended: t_cnt, c_cnt; a_cnt falls
//
// What the caller owes it. Calls from one goroutine; Executed at most once for each part
// that was granted all its locks; End when the transaction's locks are released. Costs are
// O(log n) for each key, and for each counted record of a scan.
type HotRecords struct {
	cfg HotConfig
	recent[contended]
	visits uint64 // number of visits, to mark records met in this one
}

// HotConfig has the settings of HotRecords. Zero fields mean the defaults.
type HotConfig struct {
	RecordsMax int     // records kept; 65,536
	BytesMax   int     // their memory, with keys; 16 MiB
	PerTxn     int     // counted records of one transaction, the first it accesses; 256
	OldWeight  float64 // alpha of Eq. 4: weight of w_lat so far in the next one, from 0 to below 1; 0.75
	Scale      float64 // of a forecast, above 0 and at most 1; 0.25
	CountMax   int     // when t_cnt would exceed it, t_cnt and c_cnt are halved; 32
}

// The defaults. Weight, scale and count are those of GeoTP's prototype; the paper
// mentions only the scale (section 4.3: "scale down the predicted
// latency"), because a forecast that is too long makes the part that waits for it the slowest.
const (
	DefaultHotRecordsMax = 1 << 16
	DefaultHotBytesMax   = 16 << 20
	DefaultHotPerTxn     = 256
	DefaultHotOldWeight  = 0.75
	DefaultHotScale      = 0.25
	DefaultHotCountMax   = 32
)

// hotRecordBytes is the memory of a record besides its key's bytes: the record, and its entry in
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

// hotRecord is one recently accessed record with its statistics.
type hotRecord = record[contended]

type contended struct {
	wait      float64 // w_lat, nanoseconds
	visit     uint64  // the last visit that met it
	accessed  uint32  // t_cnt
	committed uint32  // c_cnt
	accessing uint32  // a_cnt
	measured  bool    // wait has a measurement
}

// NewHotRecords returns empty statistics.
func NewHotRecords(cfg HotConfig) *HotRecords {
	h := &HotRecords{cfg: cfg.withDefaults()}
	h.init(h.cfg.RecordsMax, h.cfg.BytesMax, hotRecordBytes)
	return h
}

// Len is the number of records kept.
func (h *HotRecords) Len() int { return h.all.Len() }

// Bytes is their estimated memory.
func (h *HotRecords) Bytes() int { return h.bytes }

// HotRecord has the statistics of one record.
type HotRecord struct {
	Key       txn.Key
	Wait      time.Duration // w_lat, not scaled
	Accessed  int           // t_cnt, by ended transactions
	Committed int           // c_cnt, of these
	Accessing int           // a_cnt, now
}

// Of returns the statistics of a record; false if it is not kept.
func (h *HotRecords) Of(k txn.Key) (HotRecord, bool) {
	r, ok := h.all.Get(k)
	if !ok {
		return HotRecord{}, false
	}
	return HotRecord{Key: k, Wait: time.Duration(r.is.wait), Accessed: int(r.is.accessed), Committed: int(r.is.committed), Accessing: int(r.is.accessing)}, true
}

// granted returns the record's factor of Eq. 9: the chance that all transactions already waiting
// get it. One of the transactions that access it holds it, the others wait. It is 1 for a record
// that no transaction has accessed to its end.
func (r *contended) granted() float64 {
	if r.accessed == 0 || r.accessing <= 1 {
		return 1
	}
	return math.Pow(float64(r.committed)/float64(r.accessed), float64(r.accessing-1))
}

// ended records that a transaction has finished with the record.
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
