// Package vantage compares checks of one target that were made from several
// places, and says where on the ways to it a cause lies: in a place itself,
// between two places, on one place's own way, beyond all of them, or in the
// target. It is pure: records are all it knows.
//
// It goes in four steps. Of each place the rounds become figures with their
// scatter (seen.go). What the records tell of addresses and gateways says which
// place lies on another's way (topology.go). A symptom (symptom.go, rates.go) is
// a cause that some places have: of each other place it is asked whether it has
// it too, has it clearly not, or cannot tell, since nothing that it did would
// have shown it. What all affected ways have in common, and no clean one passes,
// is where the cause lies (locate.go): the reasoning of network tomography for
// one cause at a time (Duffield, "Network Tomography of Binary Network
// Performance Characteristics", 2006).
package vantage
