package network

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/qdisc"
	"unchoke/internal/linux/rtnl"
	"unchoke/internal/path"
)

// follower makes a network follow its path's schedule. Its states:
//
//	waiting   for Begin, which says when time zero is; the path is as at zero
//	following one thread sleeps until the next change and makes it
//	ended     by End, or because no change is left or one failed
type follower struct {
	plans *planner
	mid   *middle

	timer   int        // a timerfd, on which the thread sleeps; valid while following
	arming  sync.Mutex // guards ended, so that the timer that End sets is the last
	ended   bool
	outcome chan error // of the thread; nil while waiting
}

// changeDelay is by how much a change is later than its time. Schedules go by
// whole milliseconds, and so do the kernel's own timers: what they do at a
// change's time they have done when it comes.
const changeDelay = time.Microsecond

// Begin makes the path follow its schedule from a time zero on the monotonic
// clock. Until then it is as at its time zero. It is for once; a path without
// a schedule is as it was.
func (n *Network) Begin(zero time.Duration) error {
	f := n.follower
	if f == nil || f.plans.cfg.Path.Schedule == (path.Schedule{}) {
		return nil
	}
	var err error
	if f.timer, err = unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC); err != nil {
		return fmt.Errorf("follow the path's schedule: make a timer: %w", err)
	}
	f.outcome = make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocks: the thread ends here
		f.outcome <- n.mid.Do(func() error { return f.follow(zero) })
	}()
	return nil
}

// End stops following the schedule; the path stays as it then is. The error is
// of a change that could not be made: the path was not what it ought to have
// been.
func (n *Network) End() error {
	f := n.follower
	if f == nil || f.outcome == nil {
		return nil
	}
	f.arming.Lock()
	f.ended = true
	now := unix.ItimerSpec{Value: unix.NsecToTimespec(1)}
	err := unix.TimerfdSettime(f.timer, 0, &now, nil)
	f.arming.Unlock()
	err = errors.Join(err, <-f.outcome)
	unix.Close(f.timer)
	f.outcome = nil
	if err != nil {
		return fmt.Errorf("follow the path's schedule: %w", err)
	}
	return nil
}

// follow makes the changes, on a thread inside mid, until none is left.
func (f *follower) follow(zero time.Duration) error {
	schedule := f.plans.cfg.Path.Schedule
	at, more := schedule.Next(0)
	for change := 1; more; change++ {
		if ended, err := f.sleepUntil(zero + at + changeDelay); ended || err != nil {
			return err
		}
		to, err := f.plans.at(at, change)
		if err != nil {
			return err
		}
		changes := append(f.mid.up.change(to.up), f.mid.down.change(to.down)...)
		if err := rtnl.Do(changes...); err != nil {
			return fmt.Errorf("at %v: %w", at, err)
		}
		at, more = schedule.Next(at)
	}
	return nil
}

// sleepUntil sleeps until a time of the monotonic clock, or until the end.
func (f *follower) sleepUntil(at time.Duration) (ended bool, err error) {
	f.arming.Lock()
	ended = f.ended
	if !ended {
		alarm := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(at))}
		err = unix.TimerfdSettime(f.timer, unix.TFD_TIMER_ABSTIME, &alarm, nil)
	}
	f.arming.Unlock()
	if ended || err != nil {
		return ended, err
	}
	var expirations [8]byte
	for {
		if _, err = unix.Read(f.timer, expirations[:]); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	f.arming.Lock()
	defer f.arming.Unlock()
	return f.ended, err
}

// change asks for the lane's stages to be those of another time. The kernel
// changes a qdisc in its place, with the packets that it holds, where the
// handle is the one it has.
func (l lane) change(to stages) []rtnl.Request {
	var requests []rtnl.Request
	for i, then := range to.all() {
		different := differences(l[i].chain, then.chain)
		parent := qdisc.Root
		for at := range then.chain {
			handle := qdisc.MakeHandle(uint16(at+1), 0)
			if q, ok := different[at]; ok {
				requests = append(requests, attach(l[i].port, parent, handle, q))
			}
			parent = handle + 1
		}
		l[i].stage = then
	}
	return requests
}
