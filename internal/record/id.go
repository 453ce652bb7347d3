package record

import (
	"crypto/rand"
	"encoding/hex"
	"regexp"
	"time"
)

// New is an empty record of a run that begins now. It gets its ID when it is
// saved.
func New(target, version string) *Run {
	return &Run{Schema: Schema, Started: time.Now(), Version: version, Target: target}
}

// NewID names a run that began at t. IDs sort as their times do: to the second,
// in UTC, and a random suffix keeps those of one second apart.
func NewID(t time.Time) string {
	var suffix [3]byte
	rand.Read(suffix[:])
	return t.UTC().Format("20060102-150405-") + hex.EncodeToString(suffix[:])
}

var idForm = regexp.MustCompile(`^\d{8}-\d{6}-[0-9a-f]{6}$`)

// ValidID tells whether id has the form of an ID.
func ValidID(id string) bool { return idForm.MatchString(id) }
