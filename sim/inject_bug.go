package sim

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"isochron/history"
	"isochron/node"
	"isochron/protocol"
	"isochron/txn"
)

// Injected bugs test the fault-injection runs themselves. Each field of node.InjectedBugs is a bug
// that can be injected by its name: the words of the field, with dashes between them.

// harms maps a bug to the protocols under which it can do harm; a bug that is missing can under
// all.
var harms = map[string]func(protocol.Spec) bool{
	"IgnoreRangeChecks":         func(r protocol.Spec) bool { return !r.Yield.LockReads },
	"ReleaseBeforeVotes":        func(r protocol.Spec) bool { return !r.Reveal.Early() && logged(r) },
	"IgnoreUndecided":           snapshotReads,
	"ForgetClosedTS":            snapshotReads,
	"ForgetFence":               logged,
	"EmptyReturns":              logged,
	"VoteOnAppend":              logged,
	"ForgetVotes":               logged,
	"ReleaseUntracked":          revealsEarly,
	"DropDependency":            revealsEarly,
	"CountOldAcks":              bypassesLeaders,
	"RevealAtOwnVote":           func(r protocol.Spec) bool { return revealsOnAppend(r) || revealsValidated(r) },
	"KeepReservation":           reserves,
	"CommitOpen":                revealsEarly,
	"LeaseCountsLearners":       func(r protocol.Spec) bool { return r.ReadOnly == protocol.ByLease },
	"SkipConfirmation":          inDirectedTests,
	"SmallFastPath":             hasFastPath,
	"SendUnaccepted":            agrees,
	"KeepVersion":               passesOn,
	"AnswerReadOnlyUncommitted": passesOn,
	"IgnoreAbort":               hasFastPath,
	"SendBeforeLogged":          logsDecisions,
	"UntrackedRanges":           revealsEarlyOfAll,
	"KeepOverwritten":           logged,
	"ForgetPromise":             logged,
	"TakeOldPrepares":           logged,
	"ForgetTombstone":           atSources,
	"VoteBeforePrepare":         atSources,
	"AbortPrepared":             atSources,
	"TakeForeign":               preparedThere,
	"UnfencedReads":             tooSeldom,
	"TrustNotFound":             preparedThere,
	"UncheckedReads":            overVersions,
	"RollForward":               overVersions,
	"UninitializedVotes":        logged,
	"HalfAcks":                  bypassesLeaders,
	"DecideUnlogged":            func(r protocol.Spec) bool { return r.Decide.ParticipantsDecide() },
	"ForgetMaxReadTS":           snapshotReads,
	"HandleEarly":               byArrivalTime,
	"ForgetLate":                byArrivalTime,
	"ForgetData":                runsFixedSets,
	"CommitDespiteAssumptions":  assumesAborts,
	"ForwardAborted":            forwards,
	"QueueByReceipt":            byArrivalTime,
	"RenewLockedLease":          keepsLeases,
	"WriteInsideLease":          keepsLeases,
	"SwitchUndrained":           logged, // if the protocol is changed
}

// revealsOnAppend: and pre-commits what several shards vote on.
func revealsOnAppend(r protocol.Spec) bool {
	return r.Reveal.PreCommits() && r.Reveal.OnItsAppend(txn.Class{Participants: 1, Hot: true})
}

// revealsEarlyOfAll: and transactions of several shards depend on each other.
func revealsEarlyOfAll(r protocol.Spec) bool { return r.Reveal.PreCommits() }

// logsDecisions: the decision is the logged one.
func logsDecisions(r protocol.Spec) bool { return r.Decide.Logs() }

// byArrivalTime: 2FI transactions are voted on in the order of their arrival times.
func byArrivalTime(r protocol.Spec) bool { return r.Yield.ByArrivalTime }

// assumesAborts: votes are conditional on the abort of other transactions.
func assumesAborts(r protocol.Spec) bool { return r.Yield.Conditional }

// forwards: reads are forwarded to the coordinators of the transactions waited for.
func forwards(r protocol.Spec) bool { return r.Reads.Forwards() }

// runsFixedSets: 2FI transactions are voted on while they are read.
func runsFixedSets(r protocol.Spec) bool { return r.Decide.FixedSet() }

// atSources: participants are external databases.
func atSources(r protocol.Spec) bool { return r.OverSources() }

// preparedThere: the databases' own prepared transactions are used; overVersions: they are stores
// of records.
func preparedThere(r protocol.Spec) bool { return r.OverSources() && !r.Yield.Versions }

func overVersions(r protocol.Spec) bool { return r.OverSources() && r.Yield.Versions }

// inDirectedTests: no history shows the bug; its own test does.
func inDirectedTests(protocol.Spec) bool { return false }

// tooSeldom: a history would show the bug, but runs reach it too seldom; it has its own test.
func tooSeldom(protocol.Spec) bool { return false }

// passesOn: transactions read each other's uncommitted values.
func passesOn(r protocol.Spec) bool { return r.Yield.Hot.Publishes() }

// BugNames returns the names of the bugs that can be injected.
func BugNames() []string {
	var out []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[node.InjectedBugs]()) {
		out = append(out, dashed(f.Name))
	}
	return out
}

// dashed turns SkipValidation into skip-validation.
func dashed(field string) string {
	var b strings.Builder
	for i, c := range field {
		if unicode.IsUpper(c) && i > 0 && !unicode.IsUpper(rune(field[i-1])) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// InjectBug returns the bug with a name, and whether it can do harm under a protocol.
func InjectBug(name string) (bugs node.InjectedBugs, harmful func(protocol.Spec) bool, err error) {
	v := reflect.ValueOf(&bugs).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		if dashed(f.Name) == name {
			v.FieldByIndex(f.Index).SetBool(true)
			if harmful = harms[f.Name]; harmful == nil {
				harmful = everywhere
			}
			return bugs, harmful, nil
		}
	}
	return bugs, nil, fmt.Errorf("there is no bug %q to plant; choose all, or some of: %s", name, strings.Join(BugNames(), ", "))
}

// Found is the result of the runs with an injected bug under one protocol.
type Found struct {
	Bug, Protocol string
	Seeds         int    // run, the one that found the bug included
	Seed          uint64 // that one; 0: none did
	Anomaly       string // the first that was found; "": none was
	Detail        string
}

// RunInjectedBugs injects one bug after another, and runs each under every protocol of cfg in which
// it can do harm until it is found, or for cfg.Seeds seeds. It reports each result immediately. The
// error reports a bug that was not found.
func RunInjectedBugs(cfg FaultRunConfig, names []string, progress func(Found)) error {
	if len(cfg.Specs) == 0 {
		cfg.Specs = DefaultRows
	}
	var missed []string
	among := cfg.Switch
	for _, name := range names {
		bugs, harmful, err := InjectBug(name)
		if err != nil {
			return err
		}
		cfg.InjectedBugs, cfg.Injected, cfg.StopAfter = bugs, name, 1
		cfg.Switch = among
		if bugs.SwitchUndrained && len(among) == 0 {
			cfg.Switch = DefaultSwitch
		}
		for _, rowName := range cfg.Specs {
			spec, err := protocol.ByName(rowName)
			if err != nil {
				return err
			}
			if !harmful(spec) {
				continue
			}
			if cfg.Stop != nil && cfg.Stop() {
				return fmt.Errorf("stopped before %s was hunted on %s", name, rowName)
			}
			f := runOne(cfg, name, rowName)
			progress(f)
			if f.Anomaly == "" {
				missed = append(missed, name+" on "+rowName)
			}
		}
	}
	if len(missed) > 0 {
		return fmt.Errorf("%d planted bugs were not found: %s", len(missed), strings.Join(missed, ", "))
	}
	return nil
}

func runOne(cfg FaultRunConfig, bug, row string) Found {
	cfg.Specs = []string{row}
	sum, _ := RunSeeds(cfg, io.Discard)
	f := Found{Bug: bug, Protocol: row, Seeds: sum.Runs}
	if len(sum.Failed) > 0 {
		r := sum.Failed[0]
		// A violation of serializability shows more than one of real time alone.
		i := max(0, slices.IndexFunc(r.Violations, func(v history.Violation) bool { return !v.StrictOnly }))
		f.Seed, f.Anomaly, f.Detail = r.Seed, r.Violations[i].Name, r.Violations[i].Detail
	}
	return f
}
