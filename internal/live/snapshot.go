// Package live holds what is seen of a host's TCP connections while they run:
// snapshots of all of them, one an interval. These are values; package watch
// takes them, diagnose judges them, and the terminal, the web page and the
// exporter show them.
//
// Quantities are in SI base units (seconds, bits per second, bytes, ratios);
// the unit stands in the JSON key. A snapshot that was handed over is not
// changed any more.
package live

import (
	"context"
	"time"
)

// Schema names this version of the format.
const Schema = "unchoke.watch/1"

// Snapshot is one look at all connections.
type Snapshot struct {
	Schema   string    `json:"schema"`
	Time     time.Time `json:"time"`
	Interval float64   `json:"interval_s"` // since the look before
	// LostEvents counts connections whose end the kernel could not tell us
	// about, since the watch began: flows that lived between two looks may be
	// among them.
	LostEvents int64 `json:"lost_events"`
	// Short counts connections that began and ended between two looks, in this
	// interval; they are among Flows too, as closed ones.
	Short int64  `json:"short_flows,omitempty"`
	Flows []Flow `json:"flows"`
	// Notes say in words what this look could not do, and what would help: an
	// interval that the host could not keep, owners that only root may read.
	Notes []string `json:"notes,omitempty"`
}

// Source gives one snapshot after the other: a sampler, or a recording.
type Source interface {
	// Next waits for the next snapshot. io.EOF: there is none.
	Next(ctx context.Context) (*Snapshot, error)
}

// Lately is how far back, in seconds, the figures go that say "lately".
const Lately = 30
