package sourcetest

import (
	"os/exec"
	"syscall"
)

// apart takes the program out of its starter's group: what a terminal sends to all that it runs,
// as with Ctrl-C, is for the starter alone, who ends the program when it is time.
func apart(a *syscall.SysProcAttr) { a.Setpgid = true }

// dieWithParent has the kernel end the program when the tests' process ends.
func dieWithParent(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }
