package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// EndWell makes two more ways to stop a watch ways to end a recording: that the
// terminal is closed, and that nobody reads the output any more.
func EndWell(ctx context.Context) (context.Context, context.CancelFunc) {
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, syscall.SIGPIPE) // so that writing fails instead
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	return ctx, func() {
		stop()
		signal.Stop(unread)
	}
}
