package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// memory is the kernel's report of a process, in MB.
type memory struct {
	Resident float64 `json:"resident_mb"`
	Peak     float64 `json:"peak_mb"`
}

// memoryOf adds up processes.
func memoryOf(pids ...int) (m memory, err error) {
	for _, pid := range pids {
		f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			return m, err
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			words := strings.Fields(lines.Text())
			if len(words) < 2 {
				continue
			}
			kb, _ := strconv.ParseFloat(words[1], 64) // of the two lines below it is a number
			switch words[0] {
			case "VmRSS:":
				m.Resident += kb / 1024
			case "VmHWM:":
				m.Peak += kb / 1024
			}
		}
		if err := f.Close(); err != nil {
			return m, err
		}
	}
	return m, nil
}
