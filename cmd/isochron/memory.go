package main

import (
	"cmp"

	"isochron/server"
	"isochron/server/deploy"
	"isochron/server/memory"
	isosql "isochron/sql"
)

// divideMemory divides a node's memory limit: the command's flag, else its configuration, else the
// default.
func divideMemory(flag string, c *deploy.Config) (memory.Shares, error) {
	from := "memory"
	if flag != "" {
		from = "--memory"
	}
	setting, err := memory.Parse(cmp.Or(flag, c.Memory))
	if err != nil {
		return memory.Shares{}, usagef("%s: %w", from, err)
	}
	total, err := setting.Resolve(memory.Machine())
	if err != nil {
		return memory.Shares{}, usagef("%s: %w", from, err)
	}
	return memory.Divide(total)
}

// clientMemory returns the memory limits of a node's clients.
func clientMemory(s memory.Shares) isosql.Memory {
	return isosql.Memory{Statements: s.Of(memory.Statements), Results: s.Of(memory.Results), Requests: s.Of(memory.Requests),
		Prepared: s.PreparedStatements(), Plans: s.Plans()}
}

// countClients has a node's report tell what its clients have it hold.
func countClients(p *server.Process, s *isosql.Server) {
	p.OnUse(func(held *memory.Held) {
		h := s.Holding()
		held[memory.Statements], held[memory.Results], held[memory.Requests] = h.Statements, h.Results, h.Requests
		held[memory.Prepared] = memory.PlanBytes(h.Prepared)
	})
}
