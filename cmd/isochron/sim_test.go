package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isochron/lab"
)

func sims(args ...string) (code int, stdout, stderr string) {
	var out, err strings.Builder
	code = run(context.Background(), append([]string{"sim"}, args...), &out, &err)
	return code, out.String(), err.String()
}

var shortRun = []string{"--clients", "12", "--keys", "1000", "--duration", "2s", "--warmup", "500ms", "--wan", "uniform:20ms:3"}

// One object, with every field that others read.
func TestSimJSON(t *testing.T) {
	code, out, errs := sims(append(shortRun, "--json")...)
	if code != exitOK || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var got lab.Result
	dec := json.NewDecoder(strings.NewReader(out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&got); err != nil || dec.More() {
		t.Fatalf("%v in %s", err, out)
	}
	if got.Committed == 0 || got.LatencyMS.P50 <= 0 || !got.Check.Serializable || got.Check.Checked == 0 || got.ByClass["MR"].WANHopsCommit <= 0 {
		t.Errorf("got %s", out)
	}
	for _, field := range []string{`"protocol"`, `"workload"`, `"seed"`, `"duration_s"`, `"wall_s"`, `"events"`, `"committed"`, `"aborted"`,
		`"indeterminate"`, `"throughput_tps"`, `"abort_rate"`, `"latency_ms"`, `"p999"`, `"commit_ms"`, `"contention_span_ms"`, `"by_region"`,
		`"breakdown_ms"`, `"execute"`, `"abort"`, `"by_class"`, `"SR"`, `"MR"`, `"wan_hops_commit"`, `"checked"`, `"serializable"`, `"anomalies"`, `"trace_hash"`} {
		if !strings.Contains(out, field) {
			t.Errorf("there is no %s", field)
		}
	}
}

func TestSimTable(t *testing.T) {
	code, out, errs := sims(shortRun...)
	for _, want := range []string{"2pc+occ, retwis over uniform:20ms:3: 12 clients", "contention span", "serializable, 0 anomalies"} {
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("exit %d, %s; there is no %q in\n%s", code, errs, want, out)
		}
	}
}

// A mistake gets one clear line and exit status 2, and nothing is run.
func TestSimRefuses(t *testing.T) {
	torn := filepath.Join(t.TempDir(), "torn.yaml")
	if err := os.WriteFile(torn, []byte("regions: [a, b\nrtt"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, message string }{
		{"--protocol 3pc", `there is no protocol "3pc"`},
		{"--protocol 2pc+occ,2pc+2pl", "an experiment takes one"},
		{"--workload tpce", `there is no workload "tpce"`},
		{"--wan " + torn, "torn.yaml"},
		{"--wan nowhere.yaml", "cannot be read"},
		{"--wan marsnet", `unknown WAN "marsnet"`},
		{"--rate -5", "the rate of transactions a second is -5"},
		{"--rate NaN", "the rate of transactions a second is NaN"},
		{"--clients 0", "the number of clients is 0"},
		{"--shards 0", "the number of shards is 0"},
		{"--replicas 4", "the number of replicas of a shard is 4"},
		{"--workload micro --spread 4", "the shards that a transaction touches is 4"},
		{"--zipf -1", "zipf is -1"},
		{"--jitter 99", "the jitter"},
		{"--loss 1", "the part of messages that is lost is 1"},
		{"--cpu -1us", "the CPU time of a message is -1"},
		{"--fsync -1us", "the time of a sync is -1"},
		{"--cores 0", "the number of cores is 0"},
		{"--coordinators -1", "the number of coordinators in a region is -1"},
		{"--dead-co-coordinators 4", "co-coordinator is dead is 4"},
		{"--warehouses 1001", "the number of warehouses on a shard is 1001"},
		{"--duration 0s", "the duration is 0s"},
		{"--warmup -1s", "the warm-up is -1s"},
		{"--faults floods", `there is no fault "floods"`},
		{"--trace", "--trace is a flag of fault-injection runs"},
		{"--seeds 2 --rate 5", "--rate is a flag of an experiment"},
		{"--seeds 2 --regions 2", "2 regions: a fault-injection run needs three or more"},
		{"--seeds 2 --regions 1 --faults none", "1 regions: a fault-injection run needs three or more"},
		{"--seeds 2 --regions 7 --wan azure5", "the map azure5 has 5 regions; the runs need 7"},
		{"--seeds 2 --wan uniform:50ms:3", "has 3 regions; the runs need 5"},
		{"--seeds 0", "--seeds is 0"},
		{"--seeds 2 --shards 0", "--shards is 0"},
		{"--seeds 2 --shards -1", "the number of shards is -1"},
		{"--seeds 2 --shards 65", "the number of shards is 65; it must lie between 0 and 64"},
		{"--seeds 2 --zipf 2.5", "zipf is 2.5"},
		{"--seeds 2 --theta -0.1", "zipf is -0.1"},
		{"--seeds 2 --loss 0.6", "the part of messages that is lost is 0.6"},
		{"--seeds 2 --loss NaN", "the part of messages that is lost is NaN"},
		{"--seeds 2 --jitter 11", "the jitter, as a ratio of deviation to mean, is 11"},
		{"--seeds 2 --keys 100", "--keys is a flag of an experiment"},
	} {
		code, out, errs := sims(strings.Fields(c.args)...)
		if code != exitUsage || !strings.Contains(errs, c.message) || strings.Count(errs, "\n") != 1 || out != "" {
			t.Errorf("sim %s: exit %d, stdout %q, stderr %q; want exit 2 and one line with %q", c.args, code, out, errs, c.message)
		}
	}
}

// An interrupted experiment ends immediately and has failed.
func TestSimInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	var out, errs strings.Builder
	if code := run(ctx, append([]string{"sim"}, shortRun...), &out, &errs); code != exitFailed || out.Len() != 0 {
		t.Errorf("exit %d, stdout %q, stderr %q", code, &out, &errs)
	}
}

func TestSimRunsFaultsWithSeeds(t *testing.T) {
	for _, more := range []string{"--faults none", "--regions 6", "--regions 7 --faults replace", "--regions 3 --wan uniform:50ms:3",
		"--shards 7 --theta 0.99 --loss 0.02 --jitter 0.2", "--regions 4 --shards 1 --zipf 1.2", "--regions 2 --faults crashes,power,forced"} {
		code, out, errs := sims(append([]string{"--seeds", "1", "--protocol", "2pc+occ", "--json"}, strings.Fields(more)...)...)
		if code != exitOK || !strings.Contains(out, `"runs":1,"runs_without_a_commit":0`) {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", more, code, out, errs)
		}
	}
}

// A protocol without atomicity violates the checks, and the runs print a warning first.
func TestSimWarnsOfProtocolsWithoutAtomicity(t *testing.T) {
	_, output := runHere(t, exitFailed, "sim", "--seeds", "1", "--protocol", "ssp-local,ssp")
	if !strings.HasPrefix(output, "ssp-local guarantees no atomicity") || strings.Contains(output, "ssp guarantees") {
		t.Errorf("it said %q", output)
	}
}
