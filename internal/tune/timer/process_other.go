//go:build !linux

package timer

import (
	"errors"

	"unchoke/internal/tune/journal"
)

func process([]string) (journal.Timer, error) { return journal.Timer{}, errors.ErrUnsupported }

func end(journal.Timer) error { return errors.ErrUnsupported }
