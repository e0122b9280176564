package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"isochron/lab"
	"isochron/sim"
)

func newSim() *cobra.Command {
	h, e := faultRunFlags{}, experiment{spec: lab.Defaults()}
	cmd := &cobra.Command{
		Use:   "sim",
		Short: "Measure a protocol, or hunt for broken promises, in virtual time",
		Long: `Sim runs whole clusters in virtual time. One seed is one run, byte for byte.

Without --hunt it runs one experiment: a protocol under a workload over a map,
and prints what clients and shards saw. Messages and syncs cost what --cpu and
--fsync say, and what was read and written is checked for serializability.

With --hunt clients work while nodes crash, disks forget what was not synced,
networks part and clocks jump, and every observation is checked. What it finds
can be seen again by its seed. --wan, --shards, --zipf, --loss and --jitter are
heeded by both; a hunt without them has a shard for each region, rows that are
chosen evenly, and a network that the seed draws.`,
		Example: `  isochron sim --protocol 2pc+occ --workload retwis --wan alibaba3 --zipf 0.7 --clients 150 --duration 60s --seed 1 --json
  isochron sim --workload micro --length 6 --spread 3 --wan uniform:100ms:3 --rate 200 --cpu 0 --fsync 0
  isochron sim --hunt 300
  isochron sim --hunt 60 --protocol txsql --shards 7 --zipf 0.99 --loss 0.02 --jitter 0.2
  isochron sim --hunt 300 --protocol d2pc+2pl-group --rules
  isochron sim --hunt 1 --seed 42 --protocol 2pc+occ --trace
  isochron sim --hunt 100 --plant skip-validation,forget-fence`,
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
	cmd.Flags().StringSliceVar(&protocols, "protocol", nil, "experiment: a protocol ("+e.spec.Protocol+"); hunt: one or several (the default ones)")
	cmd.Flags().StringVar(&faults, "faults", "", "all, none, or some of: "+strings.Join(sim.FaultNames(), ",")+" (an experiment has none unless told, a hunt all)")
	cmd.Flags().Uint64Var(&e.spec.Seed, "seed", 1, "the seed; of a hunt the first")
	cmd.Flags().BoolVar(&e.json, "json", false, "print one JSON object at the end and nothing else")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		given := cmd.Flags().Changed
		if given("hunt") {
			only := slices.DeleteFunc(slices.Clone(e.only), func(name string) bool { return shared[name] != nil })
			if err := refuse(cmd, "an experiment, which is run without --hunt", only); err != nil {
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
		if err := refuse(cmd, "a hunt: add --hunt", faultRunOnly); err != nil {
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

// refuse refuses flags of the other mode: they would be heeded by nobody.
func refuse(cmd *cobra.Command, whose string, names []string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && slices.Contains(names, f.Name) {
			err = usagef("--%s is of %s", f.Name, whose)
		}
	})
	return err
}
