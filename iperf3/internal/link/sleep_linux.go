package link

import (
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Sleeper sleeps in the kernel: Go's own timers wake a thread by another
// one, and up to a millisecond late.
//
// The scheduler is not told of every short sleep. When it is, its monitor
// takes the processor (the scheduler's P) away, which it looks for every 20 µs,
// and is woken to give it back: for a sender of 5,000 packets a second that is
// most of its work, and in User-Mode Linux, where each wake is an event of
// virtual time, seven eighths of all. But sleepers keep their processors only
// where one is left to others, or there is but one of each.
type Sleeper struct {
	kept    time.Duration // slept since the processor was left to others
	precise bool
}

const (
	// shortSleep is how long a sleeper may keep its processor at once,
	shortSleep = time.Millisecond
	// maxKept how long in several sleeps: others wait no longer where there is
	// but one.
	maxKept = 5 * time.Millisecond
)

var (
	processors = int32(runtime.GOMAXPROCS(0))
	sleepers   atomic.Int32
)

// NewSleeper returns one that is to be closed.
func NewSleeper() *Sleeper {
	sleepers.Add(1)
	return &Sleeper{}
}

// NewPreciseSleeper returns one that ends on time. Until Close its goroutine keeps
// its thread, which gets the finest timer slack (50 µs otherwise).
func NewPreciseSleeper() *Sleeper {
	s := NewSleeper()
	s.precise = true
	runtime.LockOSThread()
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) // refused, it is only less precise
	return s
}

// Close gives back what the sleeper holds.
func (s *Sleeper) Close() {
	sleepers.Add(-1)
	if s.precise {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) // 0: the default again
		runtime.UnlockOSThread()
	}
}

// Sleep returns after d, or earlier: the caller looks at the clock anyway.
func (s *Sleeper) Sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	ts := unix.NsecToTimespec(int64(d))
	if d > shortSleep || s.kept+d > maxKept || crowded() {
		s.kept = 0
		_ = unix.Nanosleep(&ts, nil)
		return
	}
	s.kept += d
	_, _, _ = unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
}

// crowded tells whether sleepers must not keep their processors.
func crowded() bool { return sleepers.Load() > max(1, processors-1) }
