package state

import (
	"crypto/rand"
	"encoding/hex"
	"time"
)

// newID names a run that began at t. IDs sort as their times do: to the second,
// in UTC, and a random suffix keeps those of one second apart.
func newID(t time.Time) string {
	var suffix [3]byte
	rand.Read(suffix[:])
	return t.UTC().Format("20060102-150405-") + hex.EncodeToString(suffix[:])
}
