package main

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// attended makes a test and what it runs hear SIGHUP, as on a terminal, also where nohup
// runs it.
func attended(t *testing.T) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(heard) })
}
