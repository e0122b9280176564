package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"isochron/server"
	"isochron/server/deploy"
	"isochron/server/peer"
)

func newRootPassword() *cobra.Command {
	var file string
	cmd := newOrder(&cobra.Command{
		Use:   "root-password",
		Short: "Set a new password for the SQL user root",
		Long: `Root-password sets a new password for the SQL user root of a running cluster, if the old one
is lost; it needs the files of a node. Root receives every privilege again, and is created
again if it was dropped. The new password is asked for on a terminal, or read as one line
from standard input, from --password-file, or from the environment variable
` + passwordVariable + `; it is hashed before it is sent. The nodes log the change. If no node
runs, start a majority of them first: that needs no password.`,
		Example: `  isochron root-password --config c/node1.yaml
  pwgen 24 1 | tee new.password | isochron root-password --config c/node1.yaml`,
	}, time.Minute, func(ctx context.Context, o *operator) error { return o.rootPassword(ctx, file) })
	cmd.Flags().StringVar(&file, "password-file", "", "file with the new password, one line")
	return cmd
}

func (o *operator) rootPassword(ctx context.Context, file string) error {
	password, err := newPassword(file)
	if err != nil {
		return err
	}
	verifier, err := deploy.VerifierOf(password)
	if err != nil {
		return usageError{err}
	}
	out, err := o.anyone(ctx, server.AdminCommand{Do: server.OrderRoot, Root: verifier, Node: uint32(o.c.Node)})
	if err != nil {
		return errors.Join(errors.New("the password was not set: start a majority of the nodes (isochron start) and give the command again"), err)
	}
	return o.report(struct {
		Node uint32 `json:"node"`
	}{out.Node}, "root has a new password, at every node; node %d has stored it", out.Node)
}

// newPassword prompts for a password on a terminal, and reads a line elsewhere.
func newPassword(file string) (string, error) {
	if file != "" {
		b, err := peer.ReadSecret(file)
		if err != nil {
			return "", usagef("--password-file: %w", err)
		}
		return strings.TrimRight(string(b), "\r\n"), nil
	}
	if p := os.Getenv(passwordVariable); p != "" {
		return p, nil
	}
	if fd := int(os.Stdin.Fd()); term.IsTerminal(fd) {
		fmt.Fprint(os.Stderr, "New password of root: ")
		first, err := term.ReadPassword(fd)
		fmt.Fprint(os.Stderr, "\nOnce more: ")
		if err != nil {
			return "", err
		}
		second, err := term.ReadPassword(fd)
		fmt.Fprintln(os.Stderr)
		if err == nil && string(first) != string(second) {
			err = usagef("the two passwords differ: nothing was changed")
		}
		return string(first), err
	}
	line, err := bufio.NewReader(io.LimitReader(os.Stdin, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", usagef("there is no password: type it at the prompt, or give it on the standard input, in --password-file or in %s", passwordVariable)
	}
	return line, nil
}
