package proc

import (
	"fmt"
	"os"
	"strings"
)

// BootID is random, and another after each boot of this host.
func BootID() (string, error) {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("read this boot's ID: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}
