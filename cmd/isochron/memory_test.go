package main

import "testing"

func TestTotalOf(t *testing.T) {
	for text, want := range map[string]int64{
		"MemFree: 7 kB\nMemTotal:       2048 kB\nCached: 1 kB\n": 2048 << 10,
		"MemTotal: -3 kB\n": 0,
		"MemTotal: many kB": 0,
		"":                  0,
	} {
		if got := totalOf([]byte(text)); got != want {
			t.Errorf("%q: %d bytes, want %d", text, got, want)
		}
	}
}
