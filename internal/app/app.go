// Package app holds what unchoke does, one function a use case: check a path,
// compare arms, predict, plan changes. A command, a web page and a fleet call the
// same functions. Each takes a request, a context that ends it and a callback
// that hears how far it is; it returns values, prints nothing and asks nobody.
//
// What is large has a room: app/far (ends that are started over SSH, and hosts
// that are tuned there), app/watching (connections of this host while they run),
// app/live (their congestion control), app/rollout (many hosts).
//
// A request that cannot be done as it stands is a *request.Error: nothing was
// sent then.
package app
