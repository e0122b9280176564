package ops

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"isochron/geo"
	"isochron/test/pages"
)

// description has a registry's description of a metric.
var description = regexp.MustCompile(`fqName: "([^"]*)", help: "((?:[^"\\]|\\.)*)"(?:, unit: "[^"]*")?, constLabels: \{[^}]*\}, variableLabels: \{([^}]*)\}`)

// The page of metrics has a registry's metrics, except the libraries' own and the former names. A
// metric that ends in _total is a counter; the histograms are the registry's, and the ones named
// here, which have no value before there is a source.
func TestPageOfMetrics(t *testing.T) {
	m := New(geo.WAN{Name: "none"}, "here")
	kinds := map[string]string{"isochron_source_lock_hold_seconds": "histogram"}
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		kinds[f.GetName()] = strings.ToLower(f.GetType().String())
	}
	rows := map[string]string{}
	for _, d := range described(m.registry) {
		f := description.FindStringSubmatch(d.String())
		if f == nil {
			t.Fatalf("not understood: %s", d)
		}
		name, help, labels := f[1], f[2], f[3]
		if !strings.HasPrefix(name, "isochron_") || strings.HasPrefix(help, "deprecated") {
			continue
		}
		kind := kinds[name]
		switch counts := strings.HasSuffix(name, "_total"); {
		case kind == "" && counts:
			kind = "counter"
		case kind == "":
			kind = "gauge"
		case (kind == "counter") != counts:
			t.Errorf("%s is a %s: counters end in _total, and nothing else does", name, kind)
		}
		if labels != "" {
			labels = "`" + strings.ReplaceAll(labels, ",", "`, `") + "`"
		}
		rows[name] = fmt.Sprintf("| `%s` | %s | %s | %s |\n", name, kind, labels, pages.Cell(strings.ReplaceAll(help, `\"`, `"`)))
	}
	if len(rows) < 50 {
		t.Fatalf("%d metrics", len(rows))
	}
	var b strings.Builder
	b.WriteString(`# Metrics

What a node exports at ` + "`/metrics`" + ` (` + "`http_listen`" + ` of its file), beside ` + "`go_...`" + ` and
` + "`process_...`" + `, which are those of Prometheus' client for Go. Former names, which CHANGELOG.md has,
work for one release.

| metric | type | labels | meaning |
|---|---|---|---|
`)
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		b.WriteString(rows[name])
	}
	pages.Hold(t, "metrics.md", b.String())
}

var _ prometheus.Collector = (*prometheus.Registry)(nil) // it describes itself
