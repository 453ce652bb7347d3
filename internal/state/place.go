package state

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// DefaultStore is the user's own: records in $UNCHOKE_STATE_DIR, else in
// unchoke under $XDG_STATE_HOME, which is ~/.local/state where not set
// (%LocalAppData% on Windows).
func DefaultStore() (Store, error) {
	dir, err := stateDir()
	if err != nil {
		return Store{}, fmt.Errorf("find a place for records: %w", err)
	}
	return Store{filepath.Join(dir, "records")}, nil
}

func stateDir() (string, error) {
	if dir := os.Getenv("UNCHOKE_STATE_DIR"); dir != "" {
		return dir, nil
	}
	// The XDG base directory specification has relative paths ignored.
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "unchoke"), nil
	}
	if runtime.GOOS == "windows" {
		dir, err := os.UserCacheDir()
		return filepath.Join(dir, "unchoke"), err
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state", "unchoke"), err
}
