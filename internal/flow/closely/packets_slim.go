//go:build slim

package closely

import (
	"unchoke/internal/live"
	"unchoke/internal/record"
)

// packetsOf is none: the build for routers reads no headers.
func packetsOf(*record.Transfer) live.Packets { return live.Packets{} }
