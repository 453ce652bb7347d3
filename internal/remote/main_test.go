package remote

import (
	"bufio"
	"fmt"
	"os"
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
