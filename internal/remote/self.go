package remote

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// dirPrefix begins the name of a directory that a program was delivered to.
const dirPrefix = "unchoke."

// RemoveSelf removes the file of the running program, which was delivered, and
// its private directory. The program runs on: the system keeps an open file
// until it is closed. A file that stands anywhere else is left alone.
func RemoveSelf() error {
	file, err := os.Executable()
	if err != nil {
		return fmt.Errorf("remove the delivered program: %w", err)
	}
	return removeDelivered(file)
}

func removeDelivered(file string) error {
	dir := filepath.Dir(file)
	if !strings.HasPrefix(filepath.Base(dir), dirPrefix) {
		return fmt.Errorf("remove the delivered program: %s is not in a directory that was made for it", file)
	}
	// The script that delivered the program left nothing beside it.
	for _, name := range []string{file, dir} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the delivered program: %w", err)
		}
	}
	return nil
}
