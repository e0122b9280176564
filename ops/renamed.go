package ops

import (
	"regexp"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"isochron/internal/renamed"
)

// oldNames has the old name of each renamed metric, by the new one. Both are exported for one release;
// the help of the old one is "deprecated, use NEW".
var oldNames = map[string]string{}

func init() {
	for old, now := range renamed.Of(renamed.Metric, "") { // order: into a map
		oldNames[now] = old
	}
}

// descOf matches the name and the labels in the text of a description, which has no other accessors.
var descOf = regexp.MustCompile(`fqName: "(\w+)",.* variableLabels: {(.*)}}`)

// withOldNames is a collector that exports each renamed metric of another one twice. old has the
// description of the old name, by that of the new one; it is only read after newWithOldNames.
type withOldNames struct {
	prometheus.Collector
	old map[*prometheus.Desc]*prometheus.Desc
}

// newWithOldNames returns c with the old names, or c itself if it has no renamed metric.
func newWithOldNames(c prometheus.Collector) prometheus.Collector {
	old := map[*prometheus.Desc]*prometheus.Desc{}
	for _, d := range described(c) {
		m := descOf.FindStringSubmatch(d.String())
		if m == nil || oldNames[m[1]] == "" {
			continue
		}
		old[d] = prometheus.NewDesc(oldNames[m[1]], "deprecated, use "+m[1], strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' }), nil)
	}
	if len(old) == 0 {
		return c
	}
	return withOldNames{c, old}
}

// described returns what a collector describes.
func described(c prometheus.Collector) (all []*prometheus.Desc) {
	descs := make(chan *prometheus.Desc)
	go func() { defer close(descs); c.Describe(descs) }()
	for d := range descs {
		all = append(all, d)
	}
	return all
}

// Describe implements prometheus.Collector.
func (w withOldNames) Describe(out chan<- *prometheus.Desc) {
	for _, d := range described(w.Collector) {
		out <- d
		if old := w.old[d]; old != nil {
			out <- old
		}
	}
}

// Collect implements prometheus.Collector.
func (w withOldNames) Collect(out chan<- prometheus.Metric) {
	metrics := make(chan prometheus.Metric)
	go func() { defer close(metrics); w.Collector.Collect(metrics) }()
	for m := range metrics {
		out <- m
		if old := w.old[m.Desc()]; old != nil {
			out <- renamedMetric{m, old}
		}
	}
}

// renamedMetric is a metric under another name.
type renamedMetric struct {
	prometheus.Metric
	desc *prometheus.Desc
}

// Desc implements prometheus.Metric.
func (r renamedMetric) Desc() *prometheus.Desc { return r.desc }
