//go:build slim

package record

// Packets is what the headers of a connection's packets told: the build for routers reads none.
type Packets struct{}
