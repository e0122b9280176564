# Isochron. `make demo` shows it, `make test` runs the tests; the rest is for those who work on it.

# go-mysql-server without cgo: nothing but Go is needed to build and run.
TAGS := -tags gms_pure_go
GO   := CGO_ENABLED=0 go

# Flags for the demo: make demo ARGS="--for 30s --wan-scale 0.1"
ARGS  ?=
# Seeds per protocol of the fault-injection runs.
SEEDS ?= 300
# Protocols on which make simtest-bugs injects bugs. PLANTED_ROWS is its name before this release.
ifdef PLANTED_ROWS
$(if $(MAKELEVEL:0=),,$(shell echo "PLANTED_ROWS is deprecated, use BUG_PROTOCOLS" >&2))
BUG_PROTOCOLS ?= $(PLANTED_ROWS)
endif
BUG_PROTOCOLS ?= 2pc+2pl,2pc+occ,d2pc+2pl,d2pc+2pl-group,d2pc+occ,carousel-fast,tapir,starry
# Duration of make faults in minutes, and repetitions of each fault in make gaps.
FAULT_MINUTES ?= 60
GAP_TIMES     ?= 20
# Bits that make flips flips in each kind of file.
FLIPS ?= 200
# Clusters of each size that make power runs.
POWER_PLAYS ?= 30

.PHONY: build demo demo-sources test hours lint simtest simtest-sources simtest-bugs hunt hunt-sources hunt-planted mutants differential kill9 power flips faults faults-sources gaps fuzz docs golden bench bench-mariadb bench-galera bench-sysbench bench-hotrow bench-hotrow-wan bench-rows bench-rounds bench-collapse bench-tail bench-sources bench-hostile clients bench-priorities

# The revision goes in by the linker: that works under -buildvcs=false, and in a clone that is not the builder's own.
build:
	@r=$$(git rev-parse HEAD 2>/dev/null) && m=$$(git status --porcelain --untracked-files=no 2>/dev/null) || true; \
	set -x; $(GO) build $(TAGS) -buildvcs=false -ldflags "-X isochron/server.linkedRevision=$$r -X isochron/server.linkedModified=$${m:+yes}" -o bin/isochron ./cmd/isochron

demo:
	@echo "Building isochron (cluster, SQL, demo): about 2.5 minutes on two cores, the first time only."
	$(GO) run $(TAGS) ./cmd/isochron demo $(ARGS)

# Over two PostgreSQL and two MariaDB servers that it starts; it lists missing packages.
demo-sources:
	$(GO) run $(TAGS) ./cmd/isochron demo --sources --native $(ARGS)

test:
	@.ci/test

# The long run: the tests that make test skips, the race detector on all tests in real time, more
# seeds of the fault-injection runs (SEEDS), and the long forms with targets of their own
# (docs/inside/testing.md).
hours:
	@.ci/test --hours
	$(MAKE) simtest simtest-bugs simtest-sources kill9 power

lint:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt -w these:"; echo "$$unformatted"; exit 1; fi
	@echo "lines of the longest documents, which fail nothing:"; wc -l README.md ARCHITECTURE.md docs/*.md docs/*/*.md | sort -rn | head -6
	@$(GO) run ./internal/lint/cmd prose | tail -2
	$(GO) vet $(TAGS) ./...
	$(GO) tool staticcheck $(TAGS) ./...
	$(GO) test $(TAGS) -count=1 ./internal/lint

# Fault-injection runs of whole clusters in virtual time.
simtest:
	$(GO) run $(TAGS) ./cmd/isochron sim --seeds $(SEEDS)

# The same while the cluster switches between protocols, over sources too.
simtest-sources:
	$(GO) run $(TAGS) ./cmd/isochron sim --seeds $(SEEDS) --protocol geotp,ssp,d2pc+2pl-group,2pc+2pl-home --switch-protocols geotp,ssp,geotp-o1,quro,chiller,d2pc+2pl-group,2pc+2pl-home,txsql

# Each bug that can be injected, on each protocol where it has an effect: the number of seeds until it
# is found.
simtest-bugs:
	$(GO) run $(TAGS) ./cmd/isochron sim --seeds $(SEEDS) --inject-bug all --protocol $(BUG_PROTOCOLS)

# The names before this release.
hunt hunt-sources hunt-planted:
	@echo "make $@ is deprecated, use make $(patsubst hunt%,simtest%,$(@:hunt-planted=hunt-bugs))" >&2
	@$(MAKE) $(patsubst hunt%,simtest%,$(@:hunt-planted=hunt-bugs))

# Each mutant of a list in a copy of the tree: does a test or a fault-injection run find it?
# ARGS: --only, --all, --faultruns, --list, --json
mutants:
	$(GO) run $(TAGS) ./test/mutants $(ARGS)

# Generated statements on Isochron and on MariaDB: where do the answers differ?
# ARGS: --statements, --forms, --seed, --way, --path, --details, --keep, --json
differential:
	@$(GO) build $(TAGS) -o bin/differential ./test/differential
	bin/differential $(ARGS)

kill9:
	$(GO) test $(TAGS) -timeout 1h -count=1 -v -run 'TestKill9$$' ./cmd/isochron/ -args -kills 10

# Clusters that lose their power under load, on a disk that loses what was not synced.
power:
	$(GO) test $(TAGS) -timeout 2h -count=1 -v ./test/power -args -power.plays $(POWER_PLAYS) -power.cuts 8

# Bits of each kind of file of a stopped node, flipped one at a time: refused, or all rows are there.
flips:
	$(GO) test $(TAGS) -timeout 2h -count=1 -v -run 'TestFlippedBits' ./server -args -server.flips $(FLIPS)
	$(GO) test $(TAGS) -timeout 3h -count=1 -v -run 'TestFlippedFiles' ./test/power -args -power.flips $(FLIPS)

# Five processes under load, one fault after another. ARGS: --seed, --wan-scale, --json
faults: build
	$(GO) run $(TAGS) ./bench/faults --minutes $(FAULT_MINUTES) $(ARGS)

# Gateways, agents, a PostgreSQL and a MariaDB under load, one fault after another.
# FAULT_MINUTES; ARGS: --seed, --protocol, --json
faults-sources: build
	$(GO) run $(TAGS) ./bench/faults --sources --minutes $(FAULT_MINUTES) $(ARGS)

# For how long clients cannot commit when a node is lost, paused or cut off: each kind of
# fault, the leader and a gateway. ARGS: --only, --last, --json
gaps: build
	$(GO) run $(TAGS) ./bench/faults --gaps --times $(GAP_TIMES) $(ARGS)

fuzz:
	.ci/fuzz

# Drivers and ORMs from the package registries, against a cluster with passwords and TLS.
clients:
	test/clients/run

# The pages of docs/generated, and the tables of the laboratory's pages, from code and records.
PAGES := ./protocol ./internal/lint ./lab/figure ./sim ./sql/dialect ./sql/errorcodes ./sql/refused ./sql/legacy ./server/deploy ./ops ./cmd/isochron

docs:
	$(GO) test $(TAGS) -count=1 -run '^TestPage' $(PAGES) -args -rewrite

golden:
	$(GO) test $(TAGS) -count=1 ./sim/ ./internal/lint/ -args -rewrite

bench:
	$(GO) run $(TAGS) ./bench/latency

# Beside MariaDB on this machine; installs what is missing from Debian.
bench-mariadb: build
	bench/mariadb/compare.sh $(ARGS)

# Unmodified sysbench against one region, and against five from two of them concurrently.
bench-sysbench: build
	bench/sysbench/run.sh $(ARGS)

# Beside a Galera cluster of three sites, under the same delays; needs root.
bench-galera:
	bench/galera/compare.sh $(ARGS)

# One hot row beside MariaDB; ARGS="--protocol NAME" and more: bench/hotrow/run.sh --help
bench-hotrow: build
	bench/hotrow/run.sh $(ARGS)

# The same in three regions beside Galera; needs root.
bench-hotrow-wan:
	bench/hotrow/wan.sh $(ARGS)

# Each protocol on each load, and whether the default is the first;
# with --galera Galera beside them, which needs root. ARGS="--help" prints the options.
bench-rows: build
	$(GO) build $(TAGS) -o bin/ ./bench/rows ./bench/wan
	bin/rows $(ARGS)

# The same protocols with more and more connections: no throughput may collapse.
bench-collapse: build
	$(GO) build $(TAGS) -o bin/ ./bench/rows ./bench/wan
	bin/rows --collapse $(ARGS)

# The slowest one in a thousand: three protocols in turns, 64 clients over five regions at a fifth of
# azure5's delays; about 20 minutes.
bench-tail: build
	$(GO) build $(TAGS) -o bin/ ./bench/rows ./bench/wan
	bin/rows --protocols bonspiel,d2pc+2pl-group,d2pc+2pl --loads tpcc20-all,ycsb-a --connections 64 --wan-scale 0.2 --seconds 60 --repeat 2 $(ARGS)

# Middleware over four databases under the delays of a wide-area network, one system after another:
# Isochron, and ShardingSphere-Proxy and Spider, fetched into the user's cache. ARGS: --loads, --skews.
# bench/sources/table1.sh does geotp and ssp alone, as GeoTP's Table I has them.
bench-sources:
	bench/sources/run.sh $(ARGS)

# The rounds of joins, TPC-C and SmallBank over five regions beside EXPLAIN's; ARGS: --isochron with several builds.
bench-rounds: build
	$(GO) run $(TAGS) ./bench/rounds $(ARGS)

# A node with 2 GB of memory under all hostile statements concurrently, beside ordinary clients.
# ARGS: --minutes, --nodes 3; or --connects 100000, --sockets 5000 in place of statements.
bench-hostile: build
	$(GO) run $(TAGS) ./bench/hostile $(ARGS)

# Payments of low and of high priority by turns, among batch jobs, over SQL on five processes.
# ARGS: --jobs, --turn, --turns, --wan-scale, --protocol, --json
bench-priorities: build
	$(GO) run $(TAGS) ./bench/priorities $(ARGS)
