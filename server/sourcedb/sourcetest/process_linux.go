package sourcetest

import (
	"os/exec"
	"syscall"
)

// apart removes the program from its starter's group: a terminal's signals, such as Ctrl-C, are for the starter only, which
// ends the program in time.
func apart(a *syscall.SysProcAttr) { a.Setpgid = true }

// dieWithParent has the kernel end the program when the tests' process ends.
func dieWithParent(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }
