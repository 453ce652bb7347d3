//go:build !linux

package link

import "time"

// A Sleeper sleeps as precisely as the system allows.
type Sleeper struct{}

// NewSleeper returns one that is to be closed.
func NewSleeper() *Sleeper { return &Sleeper{} }

// NewPreciseSleeper returns one that ends on time where the system can.
func NewPreciseSleeper() *Sleeper { return &Sleeper{} }

// Close ends its use.
func (*Sleeper) Close() {}

// Sleep returns after d.
func (*Sleeper) Sleep(d time.Duration) { time.Sleep(d) }
