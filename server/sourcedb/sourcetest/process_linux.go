package sourcetest

import (
	"os/exec"
	"syscall"
)

// dieWithParent has the kernel end the program when the tests' process ends.
func dieWithParent(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }
