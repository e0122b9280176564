package main

import (
	"fmt"
	"slices"
	"strings"

	"isochron/geo"
)

// site is where a load runs.
type site struct {
	name  string
	wan   string  // the map; "": one node, a process of its own
	scale float64 // of its delays
}

// The sites there are.
const (
	siteNode = "node"
	siteWide = "wide"
	siteNear = "near"
	siteFar  = "far"
)

// regions are how many nodes a site has.
func (s site) regions() (int, error) {
	if s.wan == "" {
		return 1, nil
	}
	w, err := geo.Parse(s.wan)
	return len(w.Regions), err
}

// database is the data of a load: several may share one.
type database struct {
	name     string
	workload string   // of isochron workload; "": sysbench's tables
	prepare  []string // flags of workload prepare
	tables   int      // sysbench's
	rows     int      // of each of sysbench's tables
}

// load is one column of the table.
type load struct {
	name, about string
	site        string
	database    database
	run         []string // flags of workload run
	test        string   // sysbench's
	spread      string   // how sysbench draws keys
	everywhere  bool     // clients in all regions, as many in each; else in the first
	connections []int    // in all
	seconds     int      // of a cell, by default
	galera      bool     // Galera can stand beside it
}

// The time of a cell unless --seconds is given: a transaction over oceans takes a hundred times as
// long as one at home.
const (
	secondsTPCC  = 25 // over the WAN
	secondsWide  = 15
	secondsLocal = 8
	secondsMore  = 12 // with more and more connections: a thousand take turns
)

func tpcc(warehouses int, scale float64) database {
	return database{name: fmt.Sprintf("tpcc%d", warehouses), workload: "tpcc",
		prepare: []string{"--warehouses", fmt.Sprint(warehouses), "--scale", fmt.Sprint(scale)}}
}

var (
	bank      = database{name: "bank20", workload: "bank", prepare: []string{"--rows", "20"}}
	smallbank = database{name: "smallbank", workload: "smallbank"}
	ycsb      = database{name: "ycsb", workload: "ycsb"}
	hotRow    = database{name: "hot", tables: 1, rows: 1}
	sbtest    = database{name: "sbtest", tables: 4, rows: 10000}
	// As many rows in one table: a thousand connections that prepare every statement for
	// each of four tables are more than a server keeps.
	sbtestOne = database{name: "sbtest1", tables: 1, rows: 40000}
	zipf9     = []string{"--mix", "a", "--theta", "0.9"}
)

// tableLoads are the loads of the table. scale is of TPC-C's customers and items; twenty warehouses
// have a tenth of them, since contention is on warehouses and districts.
func tableLoads(scale float64) []load {
	two, twenty := tpcc(2, scale), tpcc(20, scale/10)
	wide := func(name, about string, d database, everywhere bool, connections int, run ...string) load {
		l := load{name: name, about: about, site: siteWide, database: d, everywhere: everywhere, run: run, seconds: secondsWide,
			connections: []int{connections}, galera: d.workload == "tpcc" || d.workload == "bank"}
		if d.workload == "tpcc" {
			l.seconds = secondsTPCC
		}
		return l
	}
	node := func(name, about string, d database, connections int, run ...string) load {
		return load{name: name, about: about, site: siteNode, database: d, run: run, seconds: secondsLocal, connections: []int{connections}, galera: d.workload == "bank"}
	}
	hot := func(name, site, between string) load {
		return load{name: name, about: "one hot row" + between + ", sysbench oltp_update_non_index", site: site, database: hotRow,
			test: "oltp_update_non_index", spread: "uniform", seconds: secondsLocal, connections: []int{64, 256}, galera: true}
	}
	sysbench := func(name, test string) load {
		return load{name: name, about: "sysbench " + test + " on one node, SERIALIZABLE", site: siteNode, database: sbtest,
			test: test, spread: "special", seconds: secondsLocal, connections: []int{16, 64}}
	}
	return []load{
		wide("tpcc2-one", "TPC-C, 2 warehouses, clients in one region of five", two, false, 16),
		wide("tpcc2-all", "TPC-C, 2 warehouses, clients in all five regions", two, true, 20),
		wide("tpcc20-one", "TPC-C, 20 warehouses, clients in one region of five", twenty, false, 40),
		wide("tpcc20-all", "TPC-C, 20 warehouses, clients in all five regions", twenty, true, 40),
		wide("bank20", "bank of 20 accounts, clients in all five regions", bank, true, 20),
		wide("smallbank", "SmallBank, clients in all five regions", smallbank, true, 20),
		wide("ycsb-a", "YCSB-A, zipf 0.9, clients in all five regions", ycsb, true, 40, zipf9...),
		node("bank20-node", "bank of 20 accounts, one node", bank, 16),
		node("smallbank-node", "SmallBank, one node", smallbank, 64),
		node("ycsb-a-node", "YCSB-A, zipf 0.9, one node", ycsb, 64, zipf9...),
		hot("hot0", siteNode, " of one node"),
		hot("hot1", siteNear, " of three regions, 1 ms between any two"),
		hot("hot30", siteFar, " of three regions, 30 ms between any two"),
		sysbench("point-select", "oltp_point_select"),
		sysbench("update", "oltp_update_non_index"),
		sysbench("read-write", "oltp_read_write"),
	}
}

// collapseLoads are loads whose throughput must not fall with more connections.
func collapseLoads(scale float64) []load {
	more := []int{4, 16, 64, 256, 1024}
	return []load{
		{name: "tpcc1", about: "TPC-C, one warehouse, one node", site: siteNode, database: tpcc(1, scale), seconds: secondsMore, connections: more},
		{name: "bank20", about: "bank of 20 accounts, one node", site: siteNode, database: bank, seconds: secondsMore, connections: more},
		{name: "read-write", about: "sysbench oltp_read_write, one node", site: siteNode, database: sbtestOne,
			test: "oltp_read_write", spread: "special", seconds: secondsMore, connections: more},
	}
}

// choose keeps the loads of these names, in the order of the table; none: all.
func choose(loads []load, names []string) ([]load, error) {
	if len(names) == 0 {
		return loads, nil
	}
	var known []string
	for _, l := range loads {
		known = append(known, l.name)
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			return nil, fmt.Errorf("there is no load %q; there are %s", n, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(loads, func(l load) bool { return !slices.Contains(names, l.name) }), nil
}
