// Package app holds what unchoke does, one function a use case: check a path,
// compare arms, plan changes. A command, a web page and a fleet call the same
// functions. Each takes a request, a context that ends it and a callback that
// hears how far it is; it returns values, prints nothing and asks nobody.
//
// A request that cannot be done as it stands is a *RequestError: nothing was
// sent then.
package app

import (
	"fmt"

	"unchoke/internal/hint"
	"unchoke/internal/record"
	"unchoke/internal/state"
)

// Progress hears how far a use case is: a share of the work from 0 to 1, and
// what it does at the moment.
type Progress func(share float64, what string)

// orNone is a callback that may be called.
func (p Progress) orNone() Progress {
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
	// Store keeps the record. Where it is nil the record is not kept; NoStore is
	// the reason, if one was wanted.
	Store   *state.Store
	NoStore error
}

// save keeps a record and says in warnings where that failed: what was measured
// is reported all the same.
func (r Request) save(d record.Document, warnings *[]string) {
	err := r.NoStore
	if r.Store != nil {
		err = r.Store.Save(d)
	}
	if err != nil {
		*warnings = append(*warnings, "the record was not saved: "+err.Error())
	}
}

// RequestError is a request that cannot be done as it stands.
type RequestError struct {
	err  error
	hint string
}

func (e *RequestError) Error() string { return e.err.Error() }
func (e *RequestError) Unwrap() error { return e.err }

// Hint is the next step; empty where there is none.
func (e *RequestError) Hint() string {
	if e.hint != "" {
		return e.hint
	}
	return hint.Of(e.err)
}

// refuse is a RequestError with the next step, "" for none.
func refuse(next, format string, args ...any) error {
	return &RequestError{fmt.Errorf(format, args...), next}
}
