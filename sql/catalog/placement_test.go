package catalog

import (
	"strings"
	"testing"
)

func TestParsePlacementRequest(t *testing.T) {
	for comment, want := range map[string]string{
		``:                              "",
		`just words`:                    "",
		`isochron: {}`:                  "",
		`a isochron: {"leader":"va"} b`: "",
		`isochron: {"spread":"hash"}`:   "over how many shards",
		`isochron: {"spread":"x"}`:      "unknown spread",
		`isochron: {"column":"c"}`:      `goes with "spread":"region" only`,
		`isochron: {"unknown":1}`:       "unknown field",
		`isochron: `:                    "cannot be read",
		`isochron: {"spread":"region"}`: "must name the column",
		`isochron: {"leader":["va"]}`:   "cannot be read",
		`isochron: {"split":[[1],[2]]}`: "",
		`isochron: {"shards":2,"spread":"hash","columns":["a"]}`: "",
	} {
		_, err := ParsePlacementRequest(comment)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: got %v, want %q", comment, err, want)
		}
	}
}

func FuzzParsePlacementRequest(f *testing.F) {
	f.Add(`isochron: {"spread":"hash","shards":3}`)
	f.Fuzz(func(t *testing.T, comment string) {
		if w, err := ParsePlacementRequest(comment); err == nil && w.Spread != "" {
			if err := w.check(); err != nil {
				t.Errorf("accepted and refused: %v", err)
			}
		}
	})
}
