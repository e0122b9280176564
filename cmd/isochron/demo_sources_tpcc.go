package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"isochron/console"
	"isochron/geo"
	"isochron/history"
	"isochron/server/sourcedb/sourcetest"
	"isochron/sqlload"
)

// TPC-C beside the bank: warehouse w is at source w modulo their number, and a terminal at each
// source works for the warehouse there. Some of its transactions touch the others.

// demoTPCCScale makes customers and items few: the load is small, and its records are hot.
const demoTPCCScale = 0.003

// tpccDemo is that part of the demo. As a workload it reports its clients' transactions to the
// meter.
type tpccDemo struct {
	sqlload.Workload
	d     *sourcesDemo
	env   *sqlload.Env
	meter *console.Meter
}

// openTPCC makes the tables at the sources, imports them and fills them through the gateways.
func (d *sourcesDemo) openTPCC(ctx context.Context, names []geo.Region) error {
	w, err := sqlload.New("tpcc", sqlload.Options{Warehouses: len(d.all), Scale: demoTPCCScale})
	if err != nil {
		return err
	}
	t := &tpccDemo{Workload: w, d: d, meter: console.NewMeter(names)}
	texts := []string{"CREATE DATABASE tpcc"}
	for _, table := range w.Tables() {
		for _, s := range d.all {
			if err := s.make(table); err != nil {
				return fmt.Errorf("%s at %s: %w", table.Name, s.name, err)
			}
		}
		if table.Name == "item" {
			texts = append(texts, fmt.Sprintf("CALL isochron.import_broadcast_table('tpcc.item', '%s')", d.list()))
		} else {
			texts = append(texts, fmt.Sprintf("CALL isochron.import_sharded_table('tpcc.%s', '%s', 'hash', '%s')", table.Name, table.Home, d.list()))
		}
	}
	first, err := d.ports.connect(d.plan.wan.Regions[0], "")
	if err != nil {
		return err
	}
	defer first.Close()
	for _, text := range texts {
		if _, err := first.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	d.log.step("loading TPC-C, one warehouse at each source")
	target := sqlload.Target{User: "root", Database: "tpcc", Connections: 8}
	for id := range d.all { // client id has warehouse 1 + id, and the address of that number
		target.Addresses = append(target.Addresses, fmt.Sprintf("127.0.0.1:%d", d.ports.port(t.at(id).region)))
	}
	if t.env, err = target.Open(ctx, false); err != nil {
		return err
	}
	d.tpcc = t
	return w.Load(ctx, t.env)
}

// make makes a table of TPC-C at a source.
func (s *demoSource) make(table sqlload.Table) error {
	texts := []string{fmt.Sprintf("CREATE TABLE %s (%s)", table.Name, table.Columns)}
	if s.kind == "postgres" {
		texts = append(table.Postgres(), fmt.Sprintf("GRANT ALL ON %s TO %s", table.Name, sourcetest.User))
	}
	return s.server.Exec(strings.Join(texts, "; "))
}

// list names all sources.
func (d *sourcesDemo) list() string {
	var names []string
	for _, s := range d.all {
		names = append(names, s.name)
	}
	return strings.Join(names, ",")
}

// at is the source with the warehouse of a client.
func (t *tpccDemo) at(client int) *demoSource { return t.d.all[(1+client)%len(t.d.all)] }

// Client implements sqlload.Workload.
func (t *tpccDemo) Client(e *sqlload.Env, id int, r *rand.Rand) (sqlload.Client, error) {
	c, err := t.Workload.Client(e, id, r)
	return tpccTerminal{c, t, t.at(id).of()}, err
}

type tpccTerminal struct {
	sqlload.Client
	of *tpccDemo
	at geo.Region
}

// Next implements sqlload.Client.
func (c tpccTerminal) Next() sqlload.Txn {
	one := c.Client.Next()
	after := one.After
	one.After = func(try sqlload.Try) {
		if try.Outcome == history.OK {
			c.of.meter.Commit(c.at, true, try.Ended-try.Begun)
		} else {
			c.of.meter.Abort(c.at)
		}
		if after != nil {
			after(try)
		}
	}
	return one
}

// work lets the terminals work until ctx ends.
func (t *tpccDemo) work(ctx context.Context) error {
	_, err := sqlload.Run(ctx, t.env, t, sqlload.Plan{Name: "tpcc", Clients: len(t.d.all)})
	return err
}

// check returns the fault in TPC-C's twelve conditions, once the clients have ended.
func (t *tpccDemo) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTimeout)
	defer cancel()
	found, err := sqlload.Judge(ctx, t.env, t, nil)
	if err != nil {
		return fmt.Errorf("TPC-C: %w", err)
	}
	for _, v := range found {
		err = errors.Join(err, fmt.Errorf("TPC-C: %s", v))
	}
	return err
}
