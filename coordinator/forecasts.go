package coordinator

import (
	"time"

	"isochron/estimate"
	"isochron/txn"
	"isochron/yield"
)

// A gateway's statistics of hot records, where its protocol uses forecasts: for departures,
// admission, or both (GeoTP section 4.3). Other protocols keep none.

// forecasts keeps the statistics and records the results of transactions.
type forecasts struct {
	cfg    *Config
	env    forecastsEnv
	policy *policy
	hot    *estimate.HotRecords // nil: the protocol uses none
}

// forecastsEnv is the part of the node that forecasts uses.
type forecastsEnv interface {
	Now() txn.Now
	RoundTrip(n txn.NodeID) (rtt time.Duration, ok bool)
}

// follow starts or drops the statistics, as the protocol requires.
func (fs *forecasts) follow() {
	switch wanted := fs.cfg.Spec.Forecasts(); {
	case !wanted:
		fs.hot = nil
	case fs.hot == nil:
		p := fs.cfg.Params.Forecast
		fs.hot = estimate.NewHotRecords(estimate.HotConfig{
			RecordsMax: p.Records, BytesMax: p.Bytes, OldWeight: p.OldWeight, Scale: p.Scale, CountMax: p.CountMax})
	}
}

// of is a transaction's footprint, nil if there are no statistics.
func (fs *forecasts) of(t *transaction) *estimate.Footprint {
	if t.footprint == nil && fs.hot != nil {
		t.footprint = fs.hot.Open()
	}
	return t.footprint
}

// records are those for which a part contends: records it does not lock cause no wait.
func (p *shardRequest) records() estimate.Records {
	if p.access.Batch != nil {
		return estimate.Records{Keys: p.named}
	}
	if p.access.Lock == txn.LockNone {
		return estimate.Records{}
	}
	return estimate.Records{Keys: p.access.Keys, Scans: p.access.Scans}
}

// work is the expected execution time of a part at its participant.
func (fs *forecasts) work(p *shardRequest) time.Duration {
	f := fs.of(p.r.t)
	if f == nil {
		return 0
	}
	return f.Forecast(p.records()).Latency
}

// admit records that a part was sent.
func (fs *forecasts) admit(p *shardRequest) {
	if f := fs.of(p.r.t); f != nil {
		p.work = f.Admit(p.records())
	}
}

// writes records the writes of a commit: some were not read before.
func (fs *forecasts) writes(t *transaction, writes []txn.Write) {
	f := fs.of(t)
	if f == nil || len(writes) == 0 {
		return
	}
	keys := make([]txn.Key, len(writes))
	for i, w := range writes {
		keys[i] = w.Key
	}
	f.Admit(estimate.Records{Keys: keys})
}

// executed records that a part was granted its locks. Its work is the time since it first left,
// minus one round trip: a part that waits long is sent again meanwhile, and a change of leader
// counts as work.
func (fs *forecasts) executed(p *shardRequest) {
	if fs.hot == nil {
		return
	}
	if rtt, ok := fs.env.RoundTrip(p.to); ok {
		p.work.Executed(max(fs.env.Now().Mono-max(p.began, p.leavesAt)-rtt, 0))
	}
}

// left records how a transaction ended. One that was not lost to others was granted its locks,
// whether its client committed it or not.
func (fs *forecasts) left(t *transaction, err *txn.Error) {
	if t.footprint != nil {
		t.footprint.End(err == nil || lostOr(err, t.admission.missed) != yield.Lost)
	}
}

// chance is the probability that a transaction does not get all locks of its first request.
func (fs *forecasts) chance(t *transaction, req *Request) float64 {
	f := fs.of(t)
	if f == nil {
		return 0
	}
	of := estimate.Records{}
	switch {
	case len(req.Statements) > 0:
		for _, s := range req.Statements {
			of.Keys = append(of.Keys, s.Records...)
		}
	case len(req.Writes) > 0:
		for _, w := range req.Writes {
			of.Keys = append(of.Keys, w.Key)
		}
	case fs.policy.lockOf(t, req.Read, 0) != txn.LockNone:
		of.Keys, of.Scans = req.Read.Gets, req.Read.Scans
	}
	return f.Forecast(of).Lost()
}
