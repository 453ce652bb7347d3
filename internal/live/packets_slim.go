//go:build slim

package live

// Packets are what a connection's packets tell: the build for routers reads none.
type Packets struct{}
