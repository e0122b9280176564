package history

import (
	"strings"
	"testing"
)

func TestExportEDN(t *testing.T) {
	h := new(History)
	h.Add(&Record{Process: 0, InvokeNanos: 1, CompleteNanos: 4, Outcome: Unknown, Ops: []Op{{Kind: Append, Key: "l1", Value: 7}, {Kind: ReadList, Key: "l1"}}})
	h.Add(&Record{Process: 1, InvokeNanos: 2, CompleteNanos: 3, Outcome: OK, Ops: []Op{{Kind: ReadList, Key: "l1", List: []int64{5, 6}}}})
	h.Add(&Record{Process: 0, InvokeNanos: 5, CompleteNanos: 6, Outcome: Fail})
	h.Add(&Record{Process: -1, InvokeNanos: 7, CompleteNanos: 8, Outcome: OK, Ops: []Op{{Kind: ReadList, Key: "l2"}}})
	var b strings.Builder
	if err := ExportEDN(&b, h); err != nil {
		t.Fatal(err)
	}
	const want = `{:type :invoke, :f :txn, :value [[:append "l1" 7] [:r "l1" nil]], :process 0, :time 1, :index 0}
{:type :invoke, :f :txn, :value [[:r "l1" nil]], :process 1, :time 2, :index 1}
{:type :ok, :f :txn, :value [[:r "l1" [5 6]]], :process 1, :time 3, :index 2}
{:type :info, :f :txn, :value [[:append "l1" 7] [:r "l1" nil]], :process 0, :time 4, :index 3}
{:type :invoke, :f :txn, :value [], :process 2, :time 5, :index 4}
{:type :fail, :f :txn, :value [], :process 2, :time 6, :index 5}
{:type :invoke, :f :txn, :value [[:r "l2" nil]], :process 3, :time 7, :index 6}
{:type :ok, :f :txn, :value [[:r "l2" []]], :process 3, :time 8, :index 7}
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", &b, want)
	}
}

func TestExportEDNOfRegisters(t *testing.T) {
	h := regs("gx0 px1", "gx1 gy0")
	h.Records[1].InvokeNanos, h.Records[1].CompleteNanos = 2000, 3000
	var b strings.Builder
	if err := ExportEDN(&b, h); err != nil {
		t.Fatal(err)
	}
	const want = `{:type :invoke, :f :txn, :value [[:r "x" nil] [:w "x" 1]], :process 0, :time 0, :index 0}
{:type :ok, :f :txn, :value [[:r "x" nil] [:w "x" 1]], :process 0, :time 1000, :index 1}
{:type :invoke, :f :txn, :value [[:r "x" nil] [:r "y" nil]], :process 1, :time 2000, :index 2}
{:type :ok, :f :txn, :value [[:r "x" 1] [:r "y" nil]], :process 1, :time 3000, :index 3}
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", &b, want)
	}
}
