package stage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"unchoke/internal/linux/sysctlkey"
)

// A setting is a sysctl and its value.
type setting struct{ key, value string }

// parseSetting reads key=value. The key has dots or slashes, as sysctl(8)
// takes it.
func parseSetting(s string) (setting, error) {
	key, value, ok := strings.Cut(s, "=")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if !ok || key == "" || value == "" {
		return setting{}, fmt.Errorf("sysctl %q: not KEY=VALUE, as in net.ipv4.tcp_congestion_control=bbr", s)
	}
	return setting{key, value}, nil
}

func parseSettings(texts []string) ([]setting, error) {
	var settings []setting
	for _, text := range texts {
		s, err := parseSetting(text)
		if err != nil {
			return nil, err
		}
		settings = append(settings, s)
	}
	return settings, nil
}

// CheckSettings returns an error for the first that is not KEY=VALUE.
func CheckSettings(texts []string) error {
	_, err := parseSettings(texts)
	return err
}

// Set sets sysctls, each KEY=VALUE, in the network namespace of the calling
// thread, which is the host's of that name.
func Set(host string, texts []string) error {
	settings, err := parseSettings(texts)
	if err != nil {
		return err
	}
	for _, s := range settings {
		if err := s.write(host); err != nil {
			return err
		}
	}
	return nil
}

// file is the setting's place under /proc/sys.
func (s setting) file() string {
	return filepath.Join("/proc/sys", filepath.Clean("/"+sysctlkey.Path(s.key)))
}

// write sets it in the namespace of the calling thread.
func (s setting) write(host string) error {
	err := os.WriteFile(s.file(), []byte(s.value), 0)
	switch {
	case err == nil:
		return nil
	case !exists(s.file()):
		return failure(1, "unchoke lab exec -- sysctl -a lists the keys a lab host has",
			"set %s on %s: no such sysctl in a network namespace of this kernel", s.key, host)
	case s.file() == defaultCC && errors.Is(err, fs.ErrNotExist):
		known, _ := os.ReadFile("/proc/sys/net/ipv4/tcp_available_congestion_control") // a hint may be empty
		return failure(1, "this kernel has "+strings.TrimSpace(string(known)),
			"set %s on %s: no congestion control %q", s.key, host, s.value)
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return failure(1, fmt.Sprintf("unchoke lab exec -- cat %s shows the value it has", s.file()),
		"set %s on %s to %q: %v", s.key, host, s.value, err)
}

// The sysctls of the default congestion control, and of those that programs
// without privilege may choose.
const (
	defaultCC = "/proc/sys/net/ipv4/tcp_congestion_control"
	allowedCC = "/proc/sys/net/ipv4/tcp_allowed_congestion_control"
)

// allow lets a network namespace other than the first make s.value its default
// congestion control. It does what setting it in the first one would. The
// calling thread is in that one on a machine; where it is not, or where there
// is no such algorithm, write fails later and says why.
func (s setting) allow() {
	if s.file() != defaultCC {
		return
	}
	if allowed, err := os.ReadFile(allowedCC); err == nil {
		_ = os.WriteFile(allowedCC, []byte(strings.TrimSpace(string(allowed))+" "+s.value), 0)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
