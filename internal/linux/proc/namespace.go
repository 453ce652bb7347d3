package proc

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Init is the first process, which the others of a host or a container come from.
const Init = "1"

// Netns is the number of a process's network namespace: of "self", or of another
// that this user may look at.
func Netns(process string) (uint64, error) {
	link, err := os.Readlink("/proc/" + process + "/ns/net")
	if err != nil {
		return 0, fmt.Errorf("look up the network namespace of process %s: %w", process, err)
	}
	n, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimPrefix(link, "net:["), "]"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("look up the network namespace of process %s: %q is none", process, link)
	}
	return n, nil
}

// InNetnsOfInit says whether this process is in the network namespace of the first
// one: it takes that to be so where it cannot be seen.
func InNetnsOfInit() bool {
	here, err1 := Netns("self")
	first, err2 := Netns(Init)
	return err1 != nil || err2 != nil || here == first
}
