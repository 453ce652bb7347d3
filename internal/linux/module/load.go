package module

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// Loaded tells which modules this kernel has loaded, and how many users each
// has. What is built in is not among them.
func Loaded() (map[string]int, error) {
	f, err := os.Open("/proc/modules")
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // a kernel without modules
	}
	if err != nil {
		return nil, fmt.Errorf("list loaded modules: %w", err)
	}
	defer f.Close()
	users, err := parseLoaded(f)
	if err != nil {
		return nil, fmt.Errorf("list loaded modules: %w", err)
	}
	return users, nil
}

// parseLoaded reads /proc/modules: name, size, users and more on each line. Where
// one cannot be unloaded, the kernel writes a dash: it counts as in use.
func parseLoaded(r io.Reader) (map[string]int, error) {
	users := make(map[string]int)
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 3 {
			return nil, fmt.Errorf("%q is no line of /proc/modules", lines.Text())
		}
		count, err := strconv.Atoi(fields[2])
		if fields[2] == "-" {
			count, err = 1, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%q is no line of /proc/modules", lines.Text())
		}
		users[fields[0]] = count
	}
	return users, lines.Err()
}

// Load loads a module with all that it needs, as modprobe(8) does.
func Load(ctx context.Context, name string) error {
	return modprobe(ctx, "load", name, "--")
}

// Unload removes a module, and what it alone needed, where nobody uses it. A
// modprobe that only loads, as OpenWrt's, is done without: then the kernel is asked
// for the module alone.
func Unload(ctx context.Context, name string) error {
	err := modprobe(ctx, "unload", name, "-r", "--")
	if err != nil && remove(name) == nil {
		return nil
	}
	return err
}

func modprobe(ctx context.Context, verb, name string, options ...string) error {
	out, err := exec.CommandContext(ctx, "modprobe", append(options, name)...).CombinedOutput()
	if err == nil {
		return nil
	}
	if said := strings.TrimSpace(string(out)); said != "" {
		return fmt.Errorf("%s module %s: %s", verb, name, said)
	}
	return fmt.Errorf("%s module %s: %w", verb, name, err)
}
