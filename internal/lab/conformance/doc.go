// Package conformance measures emulated paths and compares what it finds with
// what was asked, one test a path key. It has nothing but tests: they look at
// packets with sequence numbers and times of their own, and at what ping and
// iperf3 say, and never at what was configured.
//
//	go test ./internal/lab/conformance -run TestConformance -v -write $PWD/docs/conformance.md
package conformance
