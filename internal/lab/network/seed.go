package network

import (
	"crypto/sha256"
	"encoding/binary"
)

// derive turns the network's seed into as many independent ones as there are
// purposes.
func derive(seed uint64, purpose string) [sha256.Size]byte {
	return sha256.Sum256(append(binary.LittleEndian.AppendUint64(nil, seed), purpose...))
}

func seed(of uint64, purpose string) uint64 {
	d := derive(of, purpose)
	return binary.LittleEndian.Uint64(d[:])
}
