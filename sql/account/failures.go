package account

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"isochron/preauth"
	"isochron/sql/legacy"
)

// LoginObserver is notified of logins that failed, from many goroutines. reason is a word
// of a few: "password", "tls", "locked".
type LoginObserver interface {
	LoginFailed(reason string)
}

// failedMin is how long a login that fails takes at least: longer than any proof of a
// password, so that the time does not tell whether there is such a user.
const failedMin = 100 * time.Millisecond

// failures deals with logins that failed: a line in the log, a metric, and a wait.
type failures struct {
	log      *slog.Logger
	observer LoginObserver // may be nil
	off      bool          // nothing waits

	mu        sync.Mutex
	byAccount *preauth.Failures
	byAddress *preauth.Failures
}

func newFailures(cfg GateConfig) *failures {
	d := preauth.DefaultDelays
	d.Most = min(cfg.FailedLoginDelay, cfg.LoginTimeout/2) // the answer must still go out
	return &failures{log: cfg.Log, observer: cfg.Observer, off: d.Most < 0, byAccount: preauth.NewFailures(d), byAddress: preauth.NewFailures(d)}
}

// failed logs and counts why somebody was not let in, and returns when the answer may go out.
func (f *failures) failed(c Client, user string, remote net.Addr, began time.Time, err error) {
	code := legacy.NumberOf(err)
	if code != codeAccessDenied && code != codeNeedsTLS && code != codeAccountLocked {
		return // the client has left
	}
	reason, wait := "password", time.Duration(0)
	switch code {
	case codeNeedsTLS:
		reason = "tls"
	case codeAccountLocked:
		reason = "locked" // the password was right
	default:
		wait = f.wait(user, remote)
	}
	if f.observer != nil {
		f.observer.LoginFailed(reason)
	}
	f.log.Warn("a login failed", "user", fmt.Sprintf("%.64s", user), "from", remote.String(), "code", code, "answered_after", wait.String())
	if !f.off && reason == "password" {
		c.Pause(began.Add(failedMin + wait))
	}
}

func (f *failures) wait(user string, remote net.Addr) time.Duration {
	if f.off {
		return 0
	}
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	return max(f.byAccount.Note(now, user), f.byAddress.Note(now, preauth.HostKey(remote)))
}

// passed forgets an account's failures. Those of the address stay: whoever guesses may
// have an account of his own.
func (f *failures) passed(user string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.byAccount.Forget(user)
}

// Administers reports whether a client that has proved its password may have one of the
// Places for administrators.
func (a *Accounts) Administers(user, host string) bool {
	u := a.named(user, host)
	return u != nil && u.held.has(connectionAdmin)
}

// decoy is the way in which somebody who does not exist is asked for a password: that
// of one of the users that there are. For a name it is the same at every node and after
// every start, as it is for a name that exists: it goes by what the cluster began with,
// which clients do not know.
func (a *Accounts) decoy(name string) string {
	all, sha2 := 0, 0
	for _, u := range a.book.Load().users { // order: counted
		if u.Role || u.Verifier == "" {
			continue
		}
		all++
		if u.Plugin == Sha2 {
			sha2++
		}
	}
	keyed := hmac.New(sha256.New, a.first)
	keyed.Write([]byte(name))
	if at := float64(binary.BigEndian.Uint64(keyed.Sum(nil))) / (1 << 64); at < float64(sha2)/float64(max(all, 1)) {
		return Sha2
	}
	return Native
}
