//go:build !slim

package remote

import (
	"context"
	"errors"
	"io"
	"strings"
)

// password asks the user for sudo's password, and hands it to far.sh. It goes
// through ssh's input alone: no argument, environment, file or log has it.
func (h *Host) password(ctx context.Context) error {
	if h.secret == "" {
		h.keepAlive() // the user may take their time
		defer func() { h.beats() }()
		secret, err := h.askPassword(ctx)
		if err != nil {
			return err
		}
		h.secret = secret
	}
	h.beats()
	return h.order("password %s", h.secret)
}

func (h *Host) askPassword(ctx context.Context) (string, error) {
	if h.options.Password == nil {
		return "", h.noPassword(nil)
	}
	secret, err := h.options.Password(ctx)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, ErrNoTerminal):
		return "", h.noPassword(err)
	case err != nil:
		return "", err
	case secret == "" || len(secret) > maxPassword || strings.ContainsAny(secret, "\r\n\x00"):
		return "", &Error{Target: h.Target, what: "what was typed is no password", kind: ErrRights, hint: "run it again"}
	}
	return secret, nil
}

// maxPassword is sudo's SUDO_CONV_REPL_MAX, less its end.
const maxPassword = 1023

// ErrNoTerminal says that nobody can be asked for a password.
var ErrNoTerminal = errors.New("there is no terminal to ask for it")

func (h *Host) noPassword(cause error) error {
	return &Error{
		Target: h.Target, what: "its sudo wants a password", cause: cause, kind: ErrRights,
		hint: "run unchoke in a terminal, which asks for it once; or let the user's rule in its sudoers have NOPASSWD, or log in as root",
	}
}

// handOver sends the password once more, to the sudo that runs the program.
func (h *Host) handOver() error {
	if !h.asked {
		return nil
	}
	if _, err := io.WriteString(h.in, h.secret+"\n"); err != nil {
		return h.lost(err)
	}
	return nil
}

// refusals are what sudo, or far.sh of it, says: the more telling first.
var refusals = []complaint{
	{"missing", "there is no sudo", "log in as root: ssh://root@HOST; or install sudo there"},
	{"printf", "its shell cannot hand a password on without showing it", "let the user's rule in its sudoers have NOPASSWD, or log in as root"},
	{"have a tty", "its sudo wants a terminal (requiretty)", "visudo there: `Defaults !requiretty`; or log in as root"},
	{"no new privileges", "its sshd may not give anybody root's rights (no new privileges)", "log in as root, or to the host of that container"},
	{"not in the sudoers", "its sudo has no rule for this user", "visudo there: `USER ALL=(root) ALL`; or log in as root"},
	{"not allowed to", "its sudo does not allow this user to run unchoke", "visudo there: `USER ALL=(root) ALL`, or the path of its own unchoke in place of the last ALL; or log in as root"},
	{"may not run sudo", "its sudo has no rule for this user", "visudo there: `USER ALL=(root) ALL`; or log in as root"},
	{"incorrect password", "its sudo refused the password", "run it again; `ssh -t %s sudo true` must work"},
	{"try again", "its sudo refused the password", "run it again; `ssh -t %s sudo true` must work"},
	{"uthentication fail", "its sudo refused the password", "run it again; `ssh -t %s sudo true` must work"},
	{"account", "its sudo refuses the user's account", "`ssh -t %s sudo true` must work"},
}

// refusedRights is the error of rights that sudo does not give.
func (h *Host) refusedRights(said string) error {
	e := &Error{Target: h.Target, what: "its sudo refuses", said: said, hint: h.hint("`ssh -t %s sudo true` must work; or log in as root"), kind: ErrRights}
	for _, c := range refusals {
		if strings.Contains(said, c.says) {
			e.what, e.hint = c.what, h.hint(c.hint)
			if c.says == said {
				e.said = "" // far.sh's word, not sudo's
			}
			break
		}
	}
	return e
}

// ErrRights says that the far host gives no root's rights: nothing was started
// there.
var ErrRights = errors.New("no root's rights there")
