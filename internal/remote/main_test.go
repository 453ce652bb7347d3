package remote

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
)

// TestMain lets the test's program stand for unchoke on the far host: version,
// and a session that echoes lines.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "version":
			fmt.Println(`{"version": "test", "session": "unchoke.session/1"}`)
			return
		case "session":
			echo()
			return
		case RelayVerb: // --segments N -- HOST PORT
			segments, err := strconv.Atoi(os.Args[3])
			if err == nil {
				err = Relay(context.Background(), segments, os.Args[5], os.Args[6], os.Stdin, os.Stdout, os.Stderr)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	os.Exit(m.Run())
}

func echo() {
	if len(os.Args) > 2 && os.Args[2] == "--delivered" {
		if err := RemoveSelf(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	fmt.Printf("hello %d\n", os.Getpid())
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		fmt.Println("echo", in.Text())
	}
}
