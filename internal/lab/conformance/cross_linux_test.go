package conformance

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// crossCard reads the counters of the host that other traffic goes to. It has
// no process, but the lab holds its namespace open.
func crossCard() (card, error) {
	files, err := filepath.Glob("/proc/1/fd/*")
	if err != nil {
		return card{}, err
	}
	for _, file := range files {
		if link, err := os.Readlink(file); err != nil || !strings.HasPrefix(link, "net:[") {
			continue
		}
		found := make(chan card)
		failed := make(chan error)
		go func() {
			runtime.LockOSThread() // and never unlocks: the thread ends here
			c, is, err := cardOf(file, "10.0.0.4")
			if err != nil || !is {
				failed <- err
				return
			}
			found <- c
		}()
		select {
		case c := <-found:
			return c, nil
		case err := <-failed:
			if err != nil {
				return card{}, err
			}
		}
	}
	return card{}, errors.New("no namespace of the host that other traffic goes to")
}

// cardOf enters a namespace for good and reads the counters of its card, where
// it has the address.
func cardOf(namespace, address string) (c card, is bool, err error) {
	file, err := os.Open(namespace)
	if err != nil {
		return card{}, false, err
	}
	defer file.Close()
	if err := unix.Setns(int(file.Fd()), unix.CLONE_NEWNET); err != nil {
		return card{}, false, err
	}
	routes, err := os.ReadFile("/proc/thread-self/net/fib_trie")
	if err != nil || !strings.Contains(string(routes), address+"\n") {
		return card{}, false, err
	}
	c, err = readCard("thread-self")
	return c, true, err
}

// crossed counts what other traffic brings in from a moment on, while near
// does nothing. What a schedule brings at 2 s is not there before.
func crossed(from time.Duration, asked, within float64) func() (result, error) {
	return func() (result, error) {
		var figures []figure
		if scheduled := 2 * time.Second; from > scheduled {
			const early = 100 * time.Millisecond
			time.Sleep(scheduled - early)
			c, err := crossCard()
			if err != nil {
				return result{}, err
			}
			figures = append(figures, exactly("up, before it begins", "packets", 0, int(c.packets), 1))
			from -= scheduled - early
		}
		time.Sleep(from)
		first, err := crossCard()
		if err != nil {
			return result{}, err
		}
		const over = 900 * time.Millisecond
		begun := time.Now()
		time.Sleep(over)
		last, err := crossCard()
		if err != nil {
			return result{}, err
		}
		got := (last.bytes - first.bytes) * 8 / 1e6 / time.Since(begun).Seconds()
		return result{Figures: append(figures, relative("up, received at the other host", "Mbit/s", asked, got, within, int(last.packets-first.packets)))}, nil
	}
}

// besideCross is what a stream of near gets beside other traffic of a queue
// that shares fairly.
func besideCross(asked float64) func() (result, error) {
	return func() (result, error) {
		tcp, err := runIperf("-4", "-t", "10")
		if err != nil {
			return result{}, err
		}
		return result{Figures: []figure{relative("up, TCP alongside it", "Mbit/s", asked*payload, tcp.received, 0.1, int(tcp.received*10e6/8/1448))}}, nil
	}
}
