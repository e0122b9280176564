package sim

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"testing"

	"isochron/history"
	"isochron/protocol"
)

func TestDbg(t *testing.T) {
	seed, _ := strconv.ParseUint(os.Getenv("DBG_SEED"), 10, 64)
	if seed == 0 {
		t.Skip()
	}
	row, _ := protocol.ByName(os.Getenv("DBG_ROW"))
	f, _ := os.Create("/tmp/trace.txt")
	w := bufio.NewWriter(f)
	r := Hunt(seed, row, HuntConfig{Faults: AllFaults(), Trace: func(l string) { w.WriteString(l + "\n") },
		Histories: func(s uint64, row string, b, l *history.History) {
			hf, _ := os.Create("/tmp/hist.txt")
			b.Write(hf)
			l.Write(hf)
			hf.Close()
			reasons := map[string]int{}
			for _, h := range []*history.History{b, l} {
				for _, rec := range h.Records {
					reasons[string(rec.Outcome)+" "+rec.Reason]++
				}
			}
			for k, v := range reasons {
				fmt.Println(v, k)
			}
		}})
	w.Flush()
	fmt.Println(r.Violations)
}
