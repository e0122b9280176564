//go:build unix && !linux

package sourcetest

import (
	"os/exec"
	"syscall"
)

// apart leaves the program in its starter's group: nothing else would end it with a killed test.
func apart(*syscall.SysProcAttr) {}

func dieWithParent(*exec.Cmd) {}
