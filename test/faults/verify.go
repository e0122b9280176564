package faults

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// How often the replicas are compared while a node that has just restarted is not ready for it.
const (
	verifyTries = 4
	verifyPause = 5 * time.Second
)

// Verify compares the replicas of all shards (isochron verify). It returns what differs, or what
// could not be compared in any of several tries; "": the replicas are equal.
func (c *Cluster) Verify(ctx context.Context) (string, error) {
	var found string
	for try := range verifyTries {
		if try > 0 {
			select {
			case <-time.After(verifyPause):
			case <-ctx.Done():
				return found, ctx.Err()
			}
		}
		out, err := c.command("verify", "--config", c.Nodes[0].Config, "--rate", "64").CombinedOutput()
		var failed *exec.ExitError
		switch {
		case err == nil:
			return "", nil
		case !errors.As(err, &failed):
			return "", fmt.Errorf("isochron verify: %w", err)
		}
		found = strings.TrimSpace(string(out))
	}
	return found, nil
}
