package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// EndWell makes one more way to stop a watch a way to end a recording: that nobody
// reads the output any more.
func EndWell() (settle func()) {
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, syscall.SIGPIPE) // so that writing fails instead
	return func() { signal.Stop(unread) }
}
