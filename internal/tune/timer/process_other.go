//go:build !linux

package timer

import (
	"errors"
	"os/exec"

	"unchoke/internal/tune/journal"
)

func process([]string) (journal.Timer, error) { return journal.Timer{}, errors.ErrUnsupported }

func detached(command []string) *exec.Cmd { return exec.Command(command[0], command[1:]...) }

func end(journal.Timer) error { return errors.ErrUnsupported }
