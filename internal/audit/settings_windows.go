package audit

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"

	"unchoke/internal/record"
)

// netshTime is how long netsh may take.
const netshTime = 5 * time.Second

// systemSettings asks netsh for the TCP settings: Windows has no documented
// function for them, and its registry has only those that somebody changed.
func systemSettings(h *record.Host) (warnings []string) {
	supplemental, err := netsh("supplemental")
	if err == nil {
		h.CC = netshSupplemental(supplemental)
	}
	if h.CC == "" {
		warnings = append(warnings, unknownSetting("congestion control", err))
	}
	global, err := netsh("global")
	if err != nil || !netshGlobal(global, h) {
		warnings = append(warnings, unknownSetting("autotuning level of the receive window", err))
	}
	return warnings
}

func unknownSetting(what string, err error) string {
	if err == nil {
		return fmt.Sprintf("the %s of this host is unknown: netsh does not name it in words that unchoke knows", what)
	}
	return fmt.Sprintf("the %s of this host is unknown: %v", what, err)
}

// netsh shows a part of the TCP settings. It is the system's own, whatever the
// PATH has.
func netsh(part string) (string, error) {
	dir, err := windows.GetSystemDirectory()
	if err != nil {
		return "", fmt.Errorf("find netsh: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), netshTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, filepath.Join(dir, "netsh.exe"), "interface", "tcp", "show", part).Output()
	if err != nil {
		return "", fmt.Errorf("netsh interface tcp show %s: %w", part, err)
	}
	return string(out[:min(len(out), 64<<10)]), nil
}
