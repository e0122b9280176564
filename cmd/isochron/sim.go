package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"isochron/lab"
	"isochron/sim"
)

// simHelp is the long help of sim.
const simHelp = `Sim runs whole clusters in virtual time. One seed is one run, byte for byte.

Without --seeds it runs one experiment: a protocol under a workload on a map of
regions. It prints the latencies and throughput of clients and the times of locks.
A message costs --cpu and a sync --fsync. The history of reads and writes is checked
for serializability.

With --seeds it runs fault-injection runs: clients work while nodes crash, disks lose
unsynced data, networks partition and clocks jump, and every result is checked. A
seed reproduces its run. --wan, --shards, --zipf, --loss and --jitter apply to both
modes; a fault-injection run without them has a shard per region, rows chosen evenly,
and a network drawn from the seed.

It exits with 1 if a check fails, and with 2 if the flags are wrong.`

func newSim() *cobra.Command {
	h, e := faultRunFlags{}, experiment{spec: lab.Defaults()}
	cmd := &cobra.Command{
		Use:   "sim",
		Short: "Measure a protocol, or test it under faults, in virtual time",
		Long:  simHelp,
		Example: `  isochron sim --protocol 2pc+occ --workload retwis --wan alibaba3 --zipf 0.7 --clients 150 \
    --duration 60s --seed 1 --json
  isochron sim --workload micro --length 6 --spread 3 --wan uniform:100ms:3 --rate 200 --cpu 0 \
    --fsync 0
  isochron sim --seeds 300
  isochron sim --seeds 60 --protocol txsql --shards 7 --zipf 0.99 --loss 0.02 --jitter 0.2
  isochron sim --seeds 300 --protocol d2pc+2pl-group --coverage
  isochron sim --seeds 1 --seed 42 --protocol 2pc+occ --trace
  isochron sim --seeds 100 --inject-bug skip-validation,forget-fence`,
		Args: noArgs,
	}
	h.add(cmd)
	e.add(cmd)
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "theta" { // as workload calls it
			name = "zipf"
		}
		return pflag.NormalizedName(name)
	})
	var protocols []string
	var faults string
	cmd.Flags().StringSliceVar(&protocols, "protocol", nil, "experiment: a protocol ("+e.spec.Protocol+"); fault-injection runs: one or several (default: the standard ones)")
	cmd.Flags().StringVar(&faults, "faults", "", "all, none, or a list of: "+strings.Join(sim.FaultNames(), ", ")+" (default: none in an experiment, all in fault-injection runs)")
	cmd.Flags().Uint64Var(&e.spec.Seed, "seed", 1, "the seed; of fault-injection runs the first")
	cmd.Flags().BoolVar(&e.json, "json", false, "print one JSON object at the end and nothing else")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		given := cmd.Flags().Changed
		if given("seeds") {
			only := slices.DeleteFunc(slices.Clone(e.only), func(name string) bool { return shared[name] != nil })
			if err := refuse(cmd, "an experiment, which runs without --seeds", only); err != nil {
				return err
			}
			// order: each sets a field of its own.
			for name, set := range shared {
				if given(name) {
					set(&e.spec, &h.shape)
				}
			}
			if given("shards") && e.spec.Shards == 0 {
				return usagef("--shards is 0; give 1 or more")
			}
			h.protocols, h.faults, h.seed, h.json = sim.DefaultRows, "all", e.spec.Seed, e.json
			if given("protocol") {
				h.protocols = protocols
			}
			if given("faults") {
				h.faults = faults
			}
			return h.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		}
		if err := refuse(cmd, "fault-injection runs: add --seeds", faultRunOnly); err != nil {
			return err
		}
		if given("protocol") {
			if len(protocols) != 1 {
				return usagef("--protocol names %d protocols; an experiment takes one", len(protocols))
			}
			e.spec.Protocol = protocols[0]
		}
		if given("faults") {
			e.spec.Faults = faults
		}
		return e.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
	return cmd
}

// refuse returns an error if a flag of the other mode is set: it would have no effect.
func refuse(cmd *cobra.Command, mode string, names []string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && slices.Contains(names, f.Name) {
			err = usagef("--%s is a flag of %s", f.Name, mode)
		}
	})
	return err
}
