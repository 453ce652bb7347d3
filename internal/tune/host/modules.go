package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"unchoke/internal/linux/module"
)

// modules are the kernel's.
type modules struct{}

// loadTime bounds modprobe, which waits for the module's own start.
const loadTime = 20 * time.Second

func (modules) read(name string) (*string, error) {
	users, err := module.Loaded()
	if err != nil {
		return nil, err
	}
	if _, ok := users[name]; !ok {
		return nil, nil
	}
	value := "loaded"
	return &value, nil
}

// write loads a module, or unloads one that has no users. One in use stays:
// unloading it is no error, and reading it back tells.
func (modules) write(name string, value *string) error {
	ctx, cancel := context.WithTimeout(context.Background(), loadTime)
	defer cancel()
	if value != nil {
		return module.Load(ctx, name)
	}
	users, err := module.Loaded()
	if err != nil {
		return err
	}
	if n, ok := users[name]; !ok || n > 0 {
		return nil
	}
	return module.Unload(ctx, name)
}

func (modules) writable(name string) error {
	if os.Geteuid() > 0 {
		return fmt.Errorf("load module %s: %w", name, os.ErrPermission)
	}
	if _, err := exec.LookPath("modprobe"); err != nil {
		return fmt.Errorf("load module %s: %w", name, errors.Unwrap(err))
	}
	return nil
}
