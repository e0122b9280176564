package legacy

import (
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql/types"
)

// A cut text converts to the same number, and a text that is no number stays none.
func TestNumberText(t *testing.T) {
	nines := strings.Repeat("9", 5000)
	for text, want := range map[string]string{
		"": "", "1": "1", "abc": "abc", "12e5": "12e5", " 1.5 ": " 1.5 ", "1.5e300": "1.5e300", "2020-01-01 00:00:00": "2020-01-01 00:00:00",
		"1e600000000": "1e9999", "-1e600000000": "-1e9999", "1e-600000000": "1e-9999", "1e99999999999999999999": "1e9999",
		"0x1p600000000": "0?", "1_0e600000000": "1?", "1p600000000": "1?", "0e462097431906509": "0",
		"1e600000000x":   "1e9999?",
		nines:            nines[:1024] + "e3976",
		nines + "e-4999": nines[:1024] + "e-1023",
		"0." + nines:     "0." + nines[:1024],
		"0." + strings.Repeat("0", 4000) + "12e4001": "0.12e1",
		strings.Repeat("0", 3000) + "7":              "7",
		strings.Repeat(" ", 3000) + "7":              strings.Repeat(" ", 3000) + "7",
		strings.Repeat("a", 9000):                    strings.Repeat("a", 9000),
		"12" + strings.Repeat("a", 9000):             "12?",
	} {
		if got := numberText(text); got != want {
			t.Errorf("%.40q (%d bytes) becomes %.40q (%d), want %.40q", text, len(text), got, len(got), want)
		}
	}
}

// Texts that the engine can convert in time are the same number as before.
func TestNumberTextIsTheSameNumber(t *testing.T) {
	to := types.MustCreateDecimalType(65, 30)
	digits := strings.Repeat("1234567890", 150)
	for _, text := range []string{
		"1234567890.5", "-0.000000000000000000000000000001", digits + "e-1480", "0." + digits, "-" + digits + "e-1490",
		strings.Repeat("0", 2000) + "12.5", "0." + strings.Repeat("0", 1500) + digits + "e1510", "1e-20000", "12.5" + strings.Repeat("x", 2000), "1e99999",
	} {
		was, wasIn, wasErr := to.Convert(t.Context(), text)
		now, nowIn, nowErr := to.Convert(t.Context(), numberText(text))
		if (wasErr == nil) != (nowErr == nil) || wasIn != nowIn {
			t.Errorf("%.40q: %v %v %v, and cut: %v %v %v", text, was, wasIn, wasErr, now, nowIn, nowErr)
			continue
		}
		if c, err := to.Compare(t.Context(), was, now); wasErr == nil && (err != nil || c != 0) {
			t.Errorf("%.40q is %v, and cut %v (%v)", text, was, now, err)
		}
	}
}
