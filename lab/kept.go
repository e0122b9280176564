package lab

import (
	"context"
	"slices"
	"time"
)

// Kept runs experiments and keeps their results: an experiment has one result, and is not run
// twice. Figures of a paper share many experiments. The zero value is ready; it serves one
// goroutine at a time.
type Kept struct {
	results map[Experiment]Result
}

// RunAll is the function RunAll for the specs whose results are not kept yet; progress covers only
// these. If it fails, nothing of this call is kept.
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
