package state

import (
	"crypto/rand"
	"encoding/hex"
	"time"
)

// NewID names a run that began at t, or anything else that is kept. IDs sort as their times do: to the second,
// in UTC, and a random suffix keeps those of one second apart.
func NewID(t time.Time) string {
	var suffix [3]byte
	rand.Read(suffix[:])
	return t.UTC().Format("20060102-150405-") + hex.EncodeToString(suffix[:])
}
