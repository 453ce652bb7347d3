// Fresh shows that a person on a fresh Debian has a verdict within a minute of
// getting the package: it boots Debian 12 with systemd as its init, without Go,
// compiler and network, has the .deb installed there and a lab path checked, and
// prints how long that took.
//
// The machine is a User-Mode Linux one, in real time. The lab's own virtual
// machine cannot run inside it, since such a kernel gives its processes no
// PTRACE_SYSEMU, so the path is made by the booted kernel (lab exec --host).
// scripts/fresh-debian has the virtual one, in a root that is not booted.
//
//	fresh -packages out/packages
package main

import (
	"context"
	_ "embed" // the script
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"unchoke/internal/lab/guest"
	"unchoke/internal/tools/tool"
)

// person is what the person types.
//
//go:embed person.sh
var person string

func main() { tool.Main("fresh", run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("fresh", flag.ContinueOnError)
	flags.SetOutput(stderr)
	packages := flags.String("packages", "out/packages", "directory with the .deb")
	limit := flags.Duration("limit", time.Minute, "from the package to the verdict")
	if err := flags.Parse(args); err != nil {
		return err
	}
	found, err := filepath.Glob(filepath.Join(*packages, "unchoke_*_amd64.deb"))
	if err != nil {
		return err
	}
	if len(found) != 1 {
		return fmt.Errorf("%s has %d files unchoke_*_amd64.deb: there should be one", *packages, len(found))
	}
	deb, err := os.ReadFile(found[0])
	if err != nil {
		return err
	}
	said, err := boot(ctx, deb)
	if err != nil {
		return err
	}
	fmt.Fprint(stdout, said)
	took, err := duration(said)
	if err != nil {
		return err
	}
	if took > *limit {
		return fmt.Errorf("from the package to the verdict it took %v, more than %v", took, *limit)
	}
	return nil
}

// boot boots a fresh host that finds the package in its root's home, and returns
// what was said there.
func boot(ctx context.Context, deb []byte) (string, error) {
	image, err := guest.Get(ctx, guest.Bookworm)
	if err != nil {
		return "", err
	}
	m, err := guest.New(image, 0)
	if err != nil {
		return "", err
	}
	defer m.Remove()
	if err := os.WriteFile(filepath.Join(m.Share(), "unchoke.deb"), deb, 0o644); err != nil {
		return "", err
	}
	return m.Boot(ctx, person)
}

var (
	lastLine = regexp.MustCompile(`(?m)^verdict after (\d+) ms$`)
	errNone  = errors.New("no verdict there")
)

// duration is what the script printed last.
func duration(said string) (time.Duration, error) {
	m := lastLine.FindStringSubmatch(said)
	if m == nil {
		return 0, fmt.Errorf("%w: it said\n%s", errNone, said)
	}
	ms, err := strconv.Atoi(m[1])
	return time.Duration(ms) * time.Millisecond, err
}
