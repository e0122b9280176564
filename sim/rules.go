package sim

import (
	"fmt"
	"slices"
	"strings"

	"isochron/protocol"
	"isochron/rulebook"
	"isochron/yield"
)

// A hunt can count where the rules of the core bite (package rulebook): one that leaves
// a rule at zero has tried everything but that rule, and fails.

// bites says, of each rule, on which rows it can. It follows from their choices alone.
var bites = map[rulebook.Rule]func(protocol.Row) bool{
	rulebook.BlankVote:            logged,
	rulebook.BlankLog:             logged,
	rulebook.SuffixCut:            logged,
	rulebook.PromiseOverRestart:   logged,
	rulebook.Patience:             logged,
	rulebook.CommandsBeforeChange: logged,
	rulebook.OneChange:            logged,
	rulebook.LogBeforeVote:        logged,
	rulebook.OfferOfOldMembers:    logged,
	rulebook.GoneIsTold:           logged,
	rulebook.LeaseVoid:            logged,
	rulebook.LeaseJoint:           logged,
	rulebook.StampOfTerm:          logged,
	rulebook.ServesOwnTerm:        logged,
	rulebook.PieceInTurn:          logged,
	rulebook.RetiredKeepsTerm:     logged,
	rulebook.HandsOver:            logged,
	rulebook.DeafHandsOver:        logged,

	rulebook.PrepareOneTerm:       logged,
	rulebook.RefusedStays:         logged,
	rulebook.FenceLogged:          logged,
	rulebook.Barrier:              logged,
	rulebook.CeilingLogged:        moments,
	rulebook.CeilingOfSuccessor:   moments,
	rulebook.ClockAboveLog:        moments,
	rulebook.LocksLost:            logged,
	rulebook.UndecidedAtMoment:    moments,
	rulebook.VotingAtMoment:       moments,
	rulebook.MomentTooOld:         moments,
	rulebook.UnsettledNear:        readsNear,
	rulebook.VotesRestored:        logged,
	rulebook.RestoredInOrder:      revealsEarly,
	rulebook.RangesTracked:        revealsEarly,
	rulebook.OpenIsNoCommit:       revealsEarly,
	rulebook.DoomedStays:          revealsEarly,
	rulebook.OnePhaseNoDependency: revealsOnAppend,
	rulebook.SwitchDrained:        logged,
	rulebook.RecordPasses:         declares,

	rulebook.RowsChecked:         everywhere,
	rulebook.RangesChecked:       everywhere,
	rulebook.WoundsYounger:       wounds,
	rulebook.VotedNotWounded:     logged,
	rulebook.YoungerWaits:        func(r protocol.Row) bool { return wounds(r) && !r.Yield.Detect },
	rulebook.VoteGivesWay:        logged,
	rulebook.ReadWaitsForVote:    logged,
	rulebook.ReservingWaits:      reserves,
	rulebook.ReservingProceeds:   revealsValidated,
	rulebook.HigherReserves:      reserves,
	rulebook.ReservedRefuses:     reserves,
	rulebook.ReservedWaits:       func(r protocol.Row) bool { return reserves(r) && r.Yield.Votes == yield.VotesWait },
	rulebook.VoteWaits:           func(r protocol.Row) bool { return reserves(r) && r.Yield.Votes != yield.VotesGiveWay },
	rulebook.RevealedByAll:       revealsValidated,
	rulebook.ReservesLate:        reserves,
	rulebook.RangeLocked:         logged,
	rulebook.RangeOverWrites:     logged,
	rulebook.Cascade:             passesOn,
	rulebook.VotedNotDropped:     logged,
	rulebook.LocalDeadlock:       func(r protocol.Row) bool { return r.Yield.Detect || r.Yield.Hot != yield.HotNone },
	rulebook.WideDeadlock:        deadlocks,
	rulebook.SecondLap:           func(r protocol.Row) bool { return deadlocks(r) && r.Yield.Votes != yield.VotesGiveWay }, // where votes do not wait, cycles are too few
	rulebook.HotFollower:         passesOn,
	rulebook.ChainInTurn:         passesOn,
	rulebook.GatewayLost:         logged,
	rulebook.StampBelowRead:      func(r protocol.Row) bool { return r.Yield.ByTimestamp },
	rulebook.StampBesideWrite:    integrated,
	rulebook.BatchGivesWay:       func(r protocol.Row) bool { return r.Yield.Batches },
	rulebook.PreemptsWaiters:     func(r protocol.Row) bool { return r.Yield.Priority == yield.PriorityPreempts },
	rulebook.PreemptsWhoWaits:    func(r protocol.Row) bool { return r.Yield.Priority == yield.PriorityPreemptsWaiting },
	rulebook.LateGivesWay:        stamped,
	rulebook.LowGivesWay:         func(r protocol.Row) bool { return r.Yield.Preempts },
	rulebook.VotesBeside:         votesBeside,
	rulebook.ConditionFails:      votesBeside,
	rulebook.ForwardedKeepsPlace: forwards,
	rulebook.ForwardedReads:      forwards,
	rulebook.EndsBeside:          votesBeside,
	rulebook.MadeWayElsewhere:    votesBeside,
	rulebook.HighWaits:           stamped,
	rulebook.WaiterFirst:         stamped,
	rulebook.LeaseReaches:        keepsLeases,
	rulebook.LeaseLocked:         keepsLeases,
	rulebook.LeaseOfTerm:         keepsLeases,
	rulebook.AboveLeases:         keepsLeases,

	rulebook.OlderThanEngine: revealsEarly,
	rulebook.AllWriters:      revealsEarly,
	rulebook.TakenBack:       revealsEarly,
	rulebook.AppliedStays:    revealsEarly,

	rulebook.JointAcks:        bypassesLeaders,
	rulebook.EntryOfTerm:      bypassesLeaders,
	rulebook.OpenYes:          revealsEarly,
	rulebook.LargestStamp:     moments, // where leases are, all propose what their coordinator says
	rulebook.NoAfterYes:       logged,
	rulebook.LogWithoutVote:   everywhere,
	rulebook.SilenceAsksLogs:  everywhere,
	rulebook.ForetoldCommit:   revealsOnAppend,
	rulebook.DoomedYes:        revealsEarly,
	rulebook.TwoViews:         integrated,
	rulebook.OneProposal:      coordinatorSettles,
	rulebook.NoHeeded:         coordinatorSettles,
	rulebook.LeaderInFastPath: func(r protocol.Row) bool { return r.Decide.ProposesAtOnce() },
	rulebook.AgreedByAll:      agrees,
	rulebook.AcceptedFirst:    agrees,
	rulebook.LoggedFirst:      logsDecisions,
	rulebook.DataFirst:        declares,
	rulebook.AskedTwice:       overVersions,

	rulebook.BesideOpen:     integrated,
	rulebook.OldView:        integrated,
	rulebook.LeftView:       integrated,
	rulebook.MajorityBegins: integrated,
	rulebook.FastPathKept:   hasFastPath,
	rulebook.AcceptedKept:   integrated,
	rulebook.OldRecords:     integrated,
	rulebook.SlowMajority:   leaderSettles,
	rulebook.BelowCommitted: integrated,
	rulebook.Overtaken:      func(r protocol.Row) bool { return r.Yield.ByTimestamp },
	rulebook.ReaderWaits:    integrated,

	rulebook.TwoVersions:     everywhere,
	rulebook.LocksOfTerm:     logged,
	rulebook.AnotherVersion:  passesOn,
	rulebook.LocksFirst:      func(r protocol.Row) bool { return !r.Yield.NeverLocks },
	rulebook.WarmAtLeader:    func(r protocol.Row) bool { return r.Reads.ByTemperature() },
	rulebook.DataBesideVotes: declares,
	rulebook.ReadsStand:      overVersions,
	rulebook.SaidOnce:        overVersions,
}

// reserves: transactions of several regions do; revealsValidated: and those of one are revealed
// before they are logged.
func reserves(r protocol.Row) bool { return r.Yield.Reserves != yield.ReservesNothing }

func revealsValidated(r protocol.Row) bool { return r.Reveal.KeepsLocks() }

func readsNear(r protocol.Row) bool { return logged(r) && !r.Reads.AtLeaders() }

// coordinatorSettles: where replicas differ.
func coordinatorSettles(r protocol.Row) bool {
	return r.Decide.HasFastPath() && !r.Decide.LeaderProposes()
}

// Bitten is how often a rule has bitten in the hunts of a row.
type Bitten struct {
	Rule  rulebook.Rule
	Times uint64
	Seeds int    // in how many seeds
	First uint64 // the seed in which it did so first; 0: in none
}

// RowRules are the rules that can bite on a row.
type RowRules struct {
	Row   string
	Rules []Bitten
}

// Never are those that did not.
func (r *RowRules) Never() (names []string) {
	for _, b := range r.Rules {
		if b.Times == 0 {
			names = append(names, b.Rule.Name())
		}
	}
	return names
}

// rulesOf are the rules that can bite in a hunt on a row, none of which has yet.
func (c *HuntConfig) rulesOf(row protocol.Row) RowRules {
	out := RowRules{Row: row.Name}
	for _, rule := range rulebook.All() {
		if (rule == rulebook.SwitchDrained || rule == rulebook.RecordPasses) && len(c.Switch) == 0 {
			continue
		}
		if slices.ContainsFunc(c.rowsOf(row), bites[rule]) {
			out.Rules = append(out.Rules, Bitten{Rule: rule})
		}
	}
	return out
}

// rules opens the counts of a hunt's rows, if it is to have some.
func (s *Summary) rules(cfg *HuntConfig) error {
	if !cfg.Rules {
		return nil
	}
	for _, name := range cfg.Rows {
		row, err := protocol.ByName(name)
		if err != nil {
			return err
		}
		s.Rules = append(s.Rules, cfg.rulesOf(row))
	}
	return nil
}

// add takes in what one seed has come to.
func (r *RowRules) add(seed uint64, counts *rulebook.Counts) {
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

// errNeverBit says which rules of which rows have never bitten; nil if all have.
func errNeverBit(all []RowRules) error {
	var parts []string
	for _, r := range all {
		if names := r.Never(); len(names) > 0 {
			parts = append(parts, fmt.Sprintf("on %s %s", r.Row, strings.Join(names, ", ")))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return fmt.Errorf("these rules never came to refuse or change anything, so the hunt shows nothing of them: %s", strings.Join(parts, "; "))
}
