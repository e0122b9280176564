package sim

import (
	"fmt"
	"slices"
	"strings"

	"isochron/coverage"
	"isochron/protocol"
	"isochron/yield"
)

// The runs can count how often the rules of the core are hit (package coverage): runs that leave a
// rule at zero have not tested it, and fail.

// ruleHits maps each rule to the protocols that can hit it. It follows from their choices alone.
var ruleHits = map[coverage.Rule]func(protocol.Spec) bool{
	coverage.BlankVote:            logged,
	coverage.BlankLog:             logged,
	coverage.SuffixCut:            logged,
	coverage.PromiseOverRestart:   logged,
	coverage.LeaderStickiness:     logged,
	coverage.CommandsBeforeChange: logged,
	coverage.OneChange:            logged,
	coverage.LogBeforeVote:        logged,
	coverage.SnapshotOfOldMembers: logged,
	coverage.RemovedIsNotified:    logged,
	coverage.LeaseVoid:            logged,
	coverage.LeaseJoint:           logged,
	coverage.TimestampOfTerm:      logged,
	coverage.ServesOwnTerm:        logged,
	coverage.ChunkInOrder:         logged,
	coverage.RetiredKeepsTerm:     logged,
	coverage.HandsOver:            logged,
	coverage.UnansweredHandsOver:  logged,

	coverage.PrepareOneTerm:       logged,
	coverage.RefusedStays:         logged,
	coverage.FenceLogged:          logged,
	coverage.Barrier:              logged,
	coverage.MaxReadTSLogged:      snapshotReads,
	coverage.MaxReadTSOfSuccessor: snapshotReads,
	coverage.ClockAboveLog:        snapshotReads,
	coverage.LocksLost:            logged,
	coverage.UndecidedAtReadTS:    snapshotReads,
	coverage.VotingAtReadTS:       snapshotReads,
	coverage.ReadTSTooOld:         snapshotReads,
	coverage.UndecidedNear:        readsNear,
	coverage.VotesRestored:        logged,
	coverage.RestoredInOrder:      revealsEarly,
	coverage.RangesTracked:        revealsEarly,
	coverage.OpenIsNoCommit:       revealsEarly,
	coverage.DoomedStays:          revealsEarly,
	coverage.OnePhaseNoDependency: revealsOnAppend,
	coverage.SwitchDrained:        logged,
	coverage.RecordPasses:         runsFixedSets,

	coverage.RowsChecked:              everywhere,
	coverage.RangesChecked:            everywhere,
	coverage.WoundsYounger:            wounds,
	coverage.VotedNotWounded:          logged,
	coverage.YoungerWaits:             func(r protocol.Spec) bool { return wounds(r) && !r.Yield.Detect },
	coverage.PrepareConflict:          logged,
	coverage.ReadWaitsForVote:         logged,
	coverage.ReservingWaits:           reserves,
	coverage.ReservingProceeds:        revealsValidated,
	coverage.HigherReserves:           reserves,
	coverage.ReservedRefuses:          reserves,
	coverage.ReservedWaits:            func(r protocol.Spec) bool { return reserves(r) && r.Yield.Votes == yield.VotesWait },
	coverage.VoteWaits:                func(r protocol.Spec) bool { return reserves(r) && r.Yield.Votes != yield.VotesAbort },
	coverage.RevealedByAll:            revealsValidated,
	coverage.ReservesLate:             reserves,
	coverage.RangeLocked:              logged,
	coverage.RangeOverWrites:          logged,
	coverage.Cascade:                  passesOn,
	coverage.VotedNotDropped:          logged,
	coverage.LocalDeadlock:            func(r protocol.Spec) bool { return r.Yield.Detect || r.Yield.Hot != yield.HotNone },
	coverage.WideDeadlock:             deadlocks,
	coverage.DeadlockConfirmed:        func(r protocol.Spec) bool { return deadlocks(r) && r.Yield.Votes != yield.VotesAbort }, // where votes do not wait, cycles are too rare
	coverage.HotFollower:              passesOn,
	coverage.ChainVotesInOrder:        passesOn,
	coverage.GatewayLost:              logged,
	coverage.TimestampBelowRead:       func(r protocol.Spec) bool { return r.Yield.ByTimestamp },
	coverage.TimestampOverUndecided:   integrated,
	coverage.UnorderableInBatch:       func(r protocol.Spec) bool { return r.Yield.Batches },
	coverage.PreemptsWaiters:          func(r protocol.Spec) bool { return r.Yield.Priority == yield.PriorityPreempts },
	coverage.PreemptsWaitingHolder:    func(r protocol.Spec) bool { return r.Yield.Priority == yield.PriorityPreemptsWaiting },
	coverage.LateDoesNotQueue:         byArrivalTime,
	coverage.LowPreempted:             func(r protocol.Spec) bool { return r.Yield.Preempts },
	coverage.AssumesAbort:             assumesAborts,
	coverage.AssumptionFails:          assumesAborts,
	coverage.ForwardedKeepsPlace:      forwards,
	coverage.ForwardedReads:           forwards,
	coverage.CommitAbortsAssumed:      assumesAborts,
	coverage.PriorityAbortedElsewhere: assumesAborts,
	coverage.HighWaits:                byArrivalTime,
	coverage.WaiterFirst:              byArrivalTime,
	coverage.LeaseReaches:             keepsLeases,
	coverage.LeaseLocked:              keepsLeases,
	coverage.LeaseOfTerm:              keepsLeases,
	coverage.AboveLeases:              keepsLeases,

	coverage.OlderThanEngine: revealsEarly,
	coverage.AllWriters:      revealsEarly,
	coverage.Withdrawn:       revealsEarly,
	coverage.AppliedStays:    revealsEarly,

	coverage.JointAcks:             bypassesLeaders,
	coverage.EntryOfTerm:           bypassesLeaders,
	coverage.OpenYes:               revealsEarly,
	coverage.LargestTimestamp:      snapshotReads, // with leases, every participant uses its coordinator's timestamp
	coverage.NoAfterYes:            logged,
	coverage.LogWithoutVote:        everywhere,
	coverage.SilenceAsksLogs:       everywhere,
	coverage.SoleYesDecided:        revealsOnAppend,
	coverage.DoomedYes:             revealsEarly,
	coverage.TwoViews:              integrated,
	coverage.OneProposal:           coordinatorSettles,
	coverage.NoHonoured:            coordinatorSettles,
	coverage.LeaderInFastPath:      func(r protocol.Spec) bool { return r.Decide.AlwaysProposes() },
	coverage.AgreedByAll:           agrees,
	coverage.AcceptedFirst:         agrees,
	coverage.LoggedFirst:           logsDecisions,
	coverage.DataFirst:             runsFixedSets,
	coverage.ConfirmedAfterPrepare: overVersions,

	coverage.ConflictsWithOpen: integrated,
	coverage.OldView:           integrated,
	coverage.LeftView:          integrated,
	coverage.MajorityBegins:    integrated,
	coverage.FastPathKept:      hasFastPath,
	coverage.AcceptedKept:      integrated,
	coverage.OldRecords:        integrated,
	coverage.SlowMajority:      leaderSettles,
	coverage.BelowCommitted:    integrated,
	coverage.Overtaken:         func(r protocol.Spec) bool { return r.Yield.ByTimestamp },
	coverage.ReaderWaits:       integrated,

	coverage.TwoVersions:        everywhere,
	coverage.LocksOfTerm:        logged,
	coverage.AnotherVersion:     passesOn,
	coverage.LocksFirst:         func(r protocol.Spec) bool { return !r.Yield.NeverLocks },
	coverage.ExpectsAbsent:      func(r protocol.Spec) bool { return !r.Yield.RowLeases && !r.Decide.FixedSet() },
	coverage.WarmAtLeader:       func(r protocol.Spec) bool { return r.Reads.ByTemperature() },
	coverage.DataWithVotes:      runsFixedSets,
	coverage.ReadsRevalidated:   overVersions,
	coverage.ReadsConfirmedOnce: overVersions,
}

// reserves: transactions of several regions reserve; revealsValidated: and those of one region are
// revealed before they are logged.
func reserves(r protocol.Spec) bool { return r.Yield.Reserves != yield.ReservesNothing }

func revealsValidated(r protocol.Spec) bool { return r.Reveal.KeepsLocks() }

func readsNear(r protocol.Spec) bool { return logged(r) && !r.Reads.AtLeaders() }

// coordinatorSettles: the coordinator decides where replicas differ.
func coordinatorSettles(r protocol.Spec) bool {
	return r.Decide.HasFastPath() && !r.Decide.LeaderProposes()
}

// RuleHits is the number of hits of a rule in a protocol's runs.
type RuleHits struct {
	Rule  coverage.Rule
	Times uint64
	Seeds int    // the number of seeds with a hit
	First uint64 // the first seed with a hit; 0: none
}

// ProtocolRules are the rules that a protocol can hit.
type ProtocolRules struct {
	Protocol string
	Rules    []RuleHits
}

// Never returns the rules without a hit.
func (r *ProtocolRules) Never() (names []string) {
	for _, b := range r.Rules {
		if b.Times == 0 {
			names = append(names, b.Rule.Name())
		}
	}
	return names
}

// rulesOf returns the rules that runs of a protocol can hit, with no hits yet.
func (c *FaultRunConfig) rulesOf(spec protocol.Spec) ProtocolRules {
	out := ProtocolRules{Protocol: spec.Name}
	for _, rule := range coverage.All() {
		if (rule == coverage.SwitchDrained || rule == coverage.RecordPasses) && len(c.Switch) == 0 {
			continue
		}
		if slices.ContainsFunc(c.rowsOf(spec), ruleHits[rule]) {
			out.Rules = append(out.Rules, RuleHits{Rule: rule})
		}
	}
	return out
}

// rules creates the counts of the protocols, if the configuration requests them.
func (s *Summary) rules(cfg *FaultRunConfig) error {
	if !cfg.Rules {
		return nil
	}
	for _, name := range cfg.Specs {
		spec, err := protocol.ByName(name)
		if err != nil {
			return err
		}
		s.Rules = append(s.Rules, cfg.rulesOf(spec))
	}
	return nil
}

// add adds the counts of one seed.
func (r *ProtocolRules) add(seed uint64, counts *coverage.Counts) {
	for i := range r.Rules {
		b := &r.Rules[i]
		if n := counts.Times(b.Rule); n > 0 {
			if b.Times == 0 {
				b.First = seed
			}
			b.Times += n
			b.Seeds++
		}
	}
}

// errNeverBit lists the rules of each protocol that were never hit; nil if all were.
func errNeverBit(all []ProtocolRules) error {
	var parts []string
	for _, r := range all {
		if names := r.Never(); len(names) > 0 {
			parts = append(parts, fmt.Sprintf("on %s %s", r.Protocol, strings.Join(names, ", ")))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return fmt.Errorf("these rules were never hit, so the runs do not test them: %s", strings.Join(parts, "; "))
}
