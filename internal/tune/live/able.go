package live

import (
	"fmt"
	"strconv"

	"unchoke/internal/tune/outcome"
)

// UnableError is why no connection can be changed from here.
type UnableError struct{ What, Next string }

func (e *UnableError) Error() string { return "change connections that are open: " + e.What }

// Hint is the next step.
func (e *UnableError) Hint() string { return e.Next }

// nested tells from /proc/self/uid_map whether this is not the host's first user
// namespace, in which every number of 32 bits stands for itself
// (user_namespaces(7)).
func nested(uidMap string) bool {
	var inside, outside, length uint64
	n, _ := fmt.Sscan(uidMap, &inside, &outside, &length)
	return n != 3 || inside != 0 || outside != 0 || length != 1<<32-1
}

// id is a connection's cookie. Flows come from the kernel or from the journal,
// which only this program writes.
func id(f *outcome.LiveFlow) uint64 {
	n, err := strconv.ParseUint(f.ID, 16, 64)
	if err != nil {
		return 0 // which no connection has
	}
	return n
}

// IDs are the cookies of connections.
func IDs(flows []*outcome.LiveFlow) []uint64 {
	var out []uint64
	for _, f := range flows {
		out = append(out, id(f))
	}
	return out
}
