package host

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"unchoke/internal/linux/sysctl"
)

// sysctls are the kernel's parameters.
type sysctls struct{}

func (sysctls) read(key string) (*string, error) {
	words, err := sysctl.Kernel.Words(key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	value := strings.Join(words, " ")
	return &value, nil
}

func (sysctls) write(key string, value *string) error {
	if value == nil {
		return fmt.Errorf("remove sysctl %s: the kernel's parameters cannot be removed", key)
	}
	return sysctl.Set(key, *value)
}

func (sysctls) writable(key string) error { return sysctl.Settable(key) }
