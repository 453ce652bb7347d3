// Package fleettest has hosts that exist only in memory, for tests of what
// drives a fleet.
package fleettest

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"unchoke/internal/fleet"
	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
)

// Host is a host with a few sysctls, a journal and a timer. It lives on where
// what drives it is killed.
type Host struct {
	Called string
	Facts  fleet.Facts
	// Wanted are the values that a plan gives to keys, at once; BootFile is what it
	// writes for the next boot, empty for nothing.
	Wanted   map[string]string
	BootFile string
	// Conflicts and Unsupported stand in each plan.
	Conflicts   []tune.Conflict
	Unsupported *tune.Unsupported
	// Fails is asked before and after each effect and read of that name (try,
	// verify, …); an error before it means that nothing was done.
	Fails func(what string, after bool) error
	// Clock is what the timer goes by.
	Clock func() time.Time

	mu       sync.Mutex
	values   map[string]string
	old      map[string]string // of what stands, by key
	phase    outcome.Phase
	changes  []tune.Change
	deadline time.Time
	token    string
	rounds   int
	renewed  int
	verified int // the connection on which it was verified last
	tried    int // the one on which it was tried last
}

// New is a host as it was installed.
func New(name string, clock func() time.Time) *Host {
	return &Host{
		Called: name, Clock: clock, phase: outcome.Idle,
		Facts:    fleet.Facts{System: "linux", Machine: "amd64", Kernel: "6.12.0", Unchoke: "test", Root: true},
		values:   map[string]string{CC: "cubic", Qdisc: "fq_codel"},
		Wanted:   map[string]string{CC: "bbr", Qdisc: "fq"},
		BootFile: "/etc/sysctl.d/90-unchoke.conf",
		old:      map[string]string{},
	}
}

// The keys that a new host has.
const (
	CC    = "net.ipv4.tcp_congestion_control"
	Qdisc = "net.core.default_qdisc"
)

// Values are what the host has now, files by their names.
func (h *Host) Values() map[string]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expire()
	return maps.Clone(h.values)
}

// Phase is what its journal says now.
func (h *Host) Phase() outcome.Phase {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.expire()
	return h.phase
}

// AnotherConnection says that the last verification used another connection
// than the trial.
func (h *Host) AnotherConnection() bool { return h.verified != h.tried }

// expire is the timer. The caller holds the lock.
func (h *Host) expire() {
	if h.phase == outcome.Tried && !h.Clock().Before(h.deadline) {
		h.takeBack()
	}
}

func (h *Host) takeBack() {
	for key, value := range h.old {
		if value == "" {
			delete(h.values, key)
		} else {
			h.values[key] = value
		}
	}
	h.old, h.changes, h.phase = map[string]string{}, nil, outcome.Idle
}

// do runs one verb, with the failures around it.
func (h *Host) do(ctx context.Context, what string, f func() error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", fleet.ErrLost, err)
	}
	if h.Fails != nil {
		if err := h.Fails(what, false); err != nil {
			return err
		}
	}
	h.mu.Lock()
	h.expire()
	err := f()
	h.mu.Unlock()
	if err == nil && h.Fails != nil {
		err = h.Fails(what, true)
	}
	return err
}

// Renew makes what follows use a new connection.
func (h *Host) Renew() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.renewed++
}

// Close does nothing.
func (h *Host) Close() {}

var _ fleet.Host = (*Host)(nil)
