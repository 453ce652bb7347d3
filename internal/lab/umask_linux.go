package lab

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// umask reads this process's file mode mask. umask(2) would have to change it.
func umask() (int, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, fmt.Errorf("read the file mode mask: %w", err)
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "Umask:"); ok {
			mask, err := strconv.ParseInt(strings.TrimSpace(value), 8, 32)
			if err != nil {
				return 0, fmt.Errorf("read the file mode mask: %w", err)
			}
			return int(mask), nil
		}
	}
	return 0, fmt.Errorf("read the file mode mask: none in /proc/self/status")
}
