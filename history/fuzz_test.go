package history

import (
	"bytes"
	"testing"
)

// FuzzLoad: any file is refused, or read and checked.
func FuzzLoad(f *testing.F) {
	h := new(History)
	h.Add(&Record{Ops: []Op{{Kind: Append, Key: "l1", Value: 1}, {Kind: ReadList, Key: "l1", List: []int64{1}}}, Outcome: OK, CompleteNanos: 5})
	h.Add(&Record{Process: 1, Ops: []Op{{Kind: ReadList, Key: "l1", List: []int64{1}}}, Outcome: Unknown, Final: true})
	var whole bytes.Buffer
	if err := Save(&whole, "list-append", h); err != nil {
		f.Fatal(err)
	}
	f.Add(whole.Bytes())
	f.Add(whole.Bytes()[:whole.Len()-4])
	var registers bytes.Buffer
	if err := Save(&registers, "ycsb+t", regs("gx0 px1 py1 @7", "gx0 px2 @7", "unknown:gx2 px3", "gx3 gy9", "final:gx3")); err != nil {
		f.Fatal(err)
	}
	f.Add(registers.Bytes())
	f.Add([]byte("{\"isochron_history\":1}\n{\"ops\":null,\"outcome\":\"ok\"}\n{\"end\":1}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, _, err := Load(bytes.NewReader(b))
		if err != nil {
			return
		}
		CheckLists(h)
		CheckRegisters(h)
		var again bytes.Buffer
		if err := Save(&again, "list-append", h); err != nil {
			t.Fatal(err)
		}
		back, _, err := Load(&again)
		if err != nil || len(back.Records) != len(h.Records) {
			t.Errorf("%d records came back as %v (%v)", len(h.Records), back, err)
		}
		if err := ExportEDN(&again, h); err != nil {
			t.Error(err)
		}
	})
}
