package lab

import (
	"context"
	"slices"
	"time"
)

// Kept runs experiments and keeps their results: what was asked for before is not made again, for one
// spec has one result. Figures of a paper share settings, and ask for many of the same.
// The zero value is ready; it serves one goroutine at a time.
type Kept struct {
	results map[Experiment]Result
}

// RunAll is the function of that name for those of the specs whose results are not kept yet; progress
// is told of these alone. If it fails nothing of this call is kept.
func (k *Kept) RunAll(ctx context.Context, specs []Experiment, atOnce int, progress func(done, total time.Duration)) ([]Result, error) {
	var fresh []Experiment
	for _, s := range specs {
		if _, ok := k.results[s]; !ok && !slices.Contains(fresh, s) {
			fresh = append(fresh, s)
		}
	}
	made, err := RunAll(ctx, fresh, atOnce, progress)
	if err != nil {
		return nil, err
	}
	if k.results == nil {
		k.results = map[Experiment]Result{}
	}
	for i, s := range fresh {
		k.results[s] = made[i]
	}
	results := make([]Result, len(specs))
	for i, s := range specs {
		results[i] = k.results[s]
	}
	return results, nil
}
