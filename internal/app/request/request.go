// Package request has what all use cases are asked: a target, how far the work
// is, and the error of a request that cannot be done as it stands.
package request

import (
	"unchoke/internal/record"
	"unchoke/internal/state"
)

// Progress hears how far a use case is: a share of the work from 0 to 1, and
// what it does at the moment.
type Progress func(share float64, what string)

// OrNone is a callback that may be called.
func (p Progress) OrNone() Progress {
	if p == nil {
		return func(float64, string) {}
	}
	return p
}

// Family restricts which addresses of a target are used.
type Family string

const (
	AnyFamily Family = ""
	IPv4      Family = "4"
	IPv6      Family = "6"
)

// Request is what every use case that measures is asked.
type Request struct {
	Target  string
	Family  Family
	Token   string // that the server wants, empty for none
	Version string // of unchoke, for the record
	// FarBinary is a program for a far host that is reached over SSH, or a
	// directory of them: see remote.Options.
	FarBinary string
	// SSH are further options of ssh for that host: see remote.Options.
	SSH []string
	// Batch lets that ssh ask nobody.
	Batch bool
	// Store keeps the record. Where it is nil the record is not kept; NoStore is
	// the reason, if one was wanted.
	Store   *state.Store
	NoStore error
}

// Save keeps a record and says in warnings where that failed: what was measured
// is reported all the same.
func (r Request) Save(d record.Document, warnings *[]string) {
	err := r.NoStore
	if r.Store != nil {
		err = r.Store.Save(d)
	}
	if err != nil {
		*warnings = append(*warnings, "the record was not saved: "+err.Error())
	}
}
