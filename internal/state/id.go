package state

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// NewID names what is kept, by a time of this host's clock. IDs sort as their times
// do: to the second, in UTC, and a random suffix keeps those of one second apart.
func NewID(t time.Time) string {
	return t.UTC().Format("20060102-150405-") + fmt.Sprintf("%06x", rand.Uint32()>>8)
}
