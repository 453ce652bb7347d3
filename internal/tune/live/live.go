// Package live changes the congestion control of connections that are open, in
// the processes that have them, and changes it back.
//
// A socket is borrowed from its process (pidfd_getfd) for the moment in which it
// is asked or changed: whoever held it longer would keep it open after the
// process closed it. A connection is changed only while nothing is lost and not
// yet sent again: the kernel cannot take back a reduced window after a change
// (tcp_undo_cwnd_reduction asks the algorithm of before).
package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"unchoke/internal/tune/outcome"
	"unchoke/tcpinfo"
)

// Kernel is where connections are found.
type Kernel interface {
	// Find looks for the processes that have these connections open. What it
	// learned is what Borrow goes by.
	Find(ids []uint64) error
	// Borrow hands a connection over until it is closed. ErrEnded where there is
	// no such connection any more.
	Borrow(id uint64) (Socket, error)
}

// Socket is a borrowed connection.
type Socket interface {
	CC() (string, error)
	SetCC(name string) error
	Recovery() (tcpinfo.CAState, error)
	Close() error
}

// Errors of Borrow.
var (
	ErrEnded  = errors.New("the connection has ended")
	ErrHidden = fmt.Errorf("no process shows that it has the connection open: %w", os.ErrPermission)
)

// Changer changes connections.
type Changer struct {
	Kernel  Kernel
	Journal *Journal
	// Wait is how long to wait, for all connections together, until none is lost
	// and not yet sent again.
	Wait time.Duration
	Now  func() time.Time
	// Pause waits, or returns the context's error.
	Pause func(context.Context, time.Duration) error
}

// pause is between two looks at a connection that recovers: a tenth of the round
// trip of a far path.
const pause = 10 * time.Millisecond

// Change gives connections another algorithm, and says of each in place what
// became of it. The error is of what stopped all of them.
func (c *Changer) Change(ctx context.Context, flows []*outcome.LiveFlow, cc, module string) error {
	if err := c.Kernel.Find(IDs(flows)); err != nil {
		return err
	}
	var want []*outcome.LiveFlow
	for _, f := range flows {
		if c.look(f, cc) {
			want = append(want, f)
		}
	}
	if len(want) == 0 {
		return nil
	}
	if err := c.Journal.Begin(want, cc, module, c.Now()); err != nil {
		return err
	}
	began := c.Now()
	err := c.settle(ctx, want, began, func(f *outcome.LiveFlow, s Socket) outcome.Became {
		return c.set(f, s, []string{f.Old}, cc, outcome.LiveChanged)
	})
	return errors.Join(err, c.Journal.End(want, c.Now()))
}

// Revert gives connections the algorithm back that they had before the first
// change that stands. One that already has it is left as it is.
func (c *Changer) Revert(ctx context.Context, flows []*outcome.LiveFlow) error {
	if len(flows) == 0 {
		return nil
	}
	if err := c.Kernel.Find(IDs(flows)); err != nil {
		return err
	}
	err := c.settle(ctx, flows, c.Now(), func(f *outcome.LiveFlow, s Socket) outcome.Became {
		return c.set(f, s, c.Journal.given(f), f.Old, outcome.LiveReverted)
	})
	return errors.Join(err, c.Journal.Undone(flows, c.Now()))
}

// look fills in what a connection has. It says whether there is something to
// change.
func (c *Changer) look(f *outcome.LiveFlow, cc string) bool {
	s, err := c.Kernel.Borrow(id(f))
	if err == nil {
		defer s.Close()
		f.Old, err = s.CC()
	}
	if err != nil {
		f.State, f.Why = became(err)
		return false
	}
	f.New = f.Old
	if f.Old == cc {
		f.State = outcome.LiveSame
		return false
	}
	return true
}

// settle does something to each connection once it does not recover from loss.
func (c *Changer) settle(ctx context.Context, flows []*outcome.LiveFlow, began time.Time, do func(*outcome.LiveFlow, Socket) outcome.Became) error {
	waiting := append([]*outcome.LiveFlow(nil), flows...)
	for {
		var still []*outcome.LiveFlow
		for _, f := range waiting {
			if !c.once(f, do) {
				still = append(still, f)
				continue
			}
			if waited := c.Now().Sub(began); waited >= pause {
				f.Waited = waited.Seconds()
			}
		}
		waiting = still
		if len(waiting) == 0 {
			return nil
		}
		err := ctx.Err()
		if over := c.Now().Sub(began) >= c.Wait; !over && err == nil {
			err = c.Pause(ctx, pause)
			if err == nil {
				continue
			}
		}
		for _, f := range waiting {
			f.State, f.Why = outcome.LiveRecovering, fmt.Sprintf("it recovered from loss for %v without a pause", c.Wait)
		}
		return err
	}
}

// once is false where the connection recovers.
func (c *Changer) once(f *outcome.LiveFlow, do func(*outcome.LiveFlow, Socket) outcome.Became) bool {
	s, err := c.Kernel.Borrow(id(f))
	if err != nil {
		f.State, f.Why = became(err)
		return true
	}
	defer s.Close()
	state, err := s.Recovery()
	if err != nil {
		f.State, f.Why = became(err)
		return true
	}
	// Disorder is not over: the next acknowledgement may begin a recovery.
	if state != tcpinfo.CAOpen {
		return false
	}
	f.State = do(f, s)
	return true
}

// set changes what still is as it was found, and reads it back.
func (c *Changer) set(f *outcome.LiveFlow, s Socket, from []string, to string, done outcome.Became) outcome.Became {
	have, err := s.CC()
	switch {
	case err == nil && have == to && done == outcome.LiveReverted:
		f.New = to
		return done
	case err == nil && !slices.Contains(from, have):
		f.New, f.Why = have, fmt.Sprintf("somebody gave it %s meanwhile", have)
		return outcome.LiveOther
	case err == nil:
		err = s.SetCC(to)
	}
	if err == nil {
		f.New, err = s.CC()
	}
	if err == nil && f.New != to {
		err = fmt.Errorf("the kernel took %s and has %s", to, f.New)
	}
	if err != nil {
		var state outcome.Became
		state, f.Why = became(err)
		return state
	}
	return done
}

// became is what an error means for a connection.
func became(err error) (outcome.Became, string) {
	switch {
	case errors.Is(err, ErrEnded):
		return outcome.LiveEnded, ErrEnded.Error()
	case errors.Is(err, os.ErrPermission):
		return outcome.LiveRefused, err.Error()
	}
	return outcome.LiveFailed, err.Error()
}
