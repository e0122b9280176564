package server

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	code := m.Run()
	for _, s := range started {
		s.Close()
	}
	os.Exit(code)
}
