//go:build !linux

package lab

// umask is a file mode mask of no account: a lab runs on Linux only.
func umask() (int, error) { return 0, nil }
