package memory

import (
	"context"
	"errors"
	"strings"
	"testing"

	"isochron/sql/account"
	"isochron/sql/sysvars"
)

// One account's statements hold at most 80 % of the memory for those of the node.
func TestMemoryOfAnAccount(t *testing.T) {
	b := New(1000, func(context.Context, string) int64 { return 0 }, func(_ int, message string) error { return errors.New(message) })
	one, other := &account.Share{}, &account.Share{}
	a := b.Opened(1000, one)
	if err := a.Charge(700); err != nil {
		t.Fatal(err)
	}
	second := b.Opened(1000, one)
	err := second.Charge(101)
	if err == nil || !strings.Contains(err.Error(), sysvars.NodeMemory) || !strings.Contains(err.Error(), "account") {
		t.Errorf("beyond its part: %v", err)
	}
	if err := second.Charge(100); err != nil {
		t.Error(err)
	}
	if err := b.Opened(1000, other).Charge(200); err != nil {
		t.Errorf("another account: %v", err)
	}
	a.Release(100)
	a.Close()
	if got := one.Memory.Load(); got != 100 {
		t.Errorf("%d bytes are counted", got)
	}
}
