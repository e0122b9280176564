package exec

import (
	"context"
	"fmt"
	"testing"

	"isochron/sql/expr"
)

// benchmarkOver runs an operator over 100,000 rows (a bigint, a bigint of 100 values, a text of 12 characters).
func benchmarkOver(b *testing.B, make func(from Source) Source) {
	const n = 100_000
	rows := make100k(n)
	b.ReportAllocs()
	for b.Loop() {
		s := make(Rows(rows))
		if _, err := drain(s, context.Background()); err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
}

func make100k(n int) [][]expr.Value {
	rows := make([][]expr.Value, n)
	for i := range rows {
		k := i * 7919 % n
		rows[i] = row(k, k%100, fmt.Sprintf("customer%04d", k%5000))
	}
	return rows
}

func BenchmarkFilter(b *testing.B) {
	benchmarkOver(b, func(from Source) Source { return Filter(from, program(b, "a > 500 AND c <> 'a'")) })
}

func BenchmarkProject(b *testing.B) {
	benchmarkOver(b, func(from Source) Source { return Project(from, program(b, "a + 1", "b", "c")) })
}

func BenchmarkDistinct(b *testing.B) {
	benchmarkOver(b, func(from Source) Source { return Distinct(from, []expr.Type{bigint}, nil) })
}

func BenchmarkSort(b *testing.B) {
	for name, keys := range map[string][]Key{"integer": {{At: 0, Type: bigint}}, "text": {{At: 2, Type: text}, {At: 0, Type: bigint}}} {
		b.Run(name, func(b *testing.B) {
			benchmarkOver(b, func(from Source) Source { return Sort(from, keys, 0, nil) })
		})
	}
	b.Run("top", func(b *testing.B) {
		benchmarkOver(b, func(from Source) Source { return Sort(from, []Key{{At: 2, Type: text}}, 10, nil) })
	})
}

func BenchmarkGroup(b *testing.B) {
	aggregates := []Aggregate{{Kind: CountRows}, {Kind: Sum, Args: []int{0}, Types: []expr.Type{bigint}}, {Kind: Max, Args: []int{2}, Types: []expr.Type{text}}}
	for name, keys := range map[string][]Key{"none": nil, "100": {{At: 1, Type: bigint}}, "100000": {{At: 0, Type: bigint}}, "text": {{At: 2, Type: text}}} {
		b.Run(name, func(b *testing.B) {
			benchmarkOver(b, func(from Source) Source { return Group(session(), from, keys, aggregates, false, nil) })
		})
	}
	b.Run("rollup", func(b *testing.B) {
		benchmarkOver(b, func(from Source) Source {
			return Group(session(), from, []Key{{At: 1, Type: bigint}, {At: 0, Type: bigint}}, aggregates, true, nil)
		})
	})
}
