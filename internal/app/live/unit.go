package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"unchoke/internal/hint"
	"unchoke/internal/tune/disk"
	tunelive "unchoke/internal/tune/live"
	"unchoke/internal/tune/outcome"
)

// FindUnit says whether a unit runs on this host.
func FindUnit(unit string) error {
	_, err := tunelive.HostGroups{}.Find(unit)
	return err
}

// ChangeUnit gives the connections that a unit will open another congestion
// control. loaded is the module that it took.
func ChangeUnit(ctx context.Context, q Request, unit string) (u outcome.LiveUnit, loaded string, err error) {
	c, unlock, err := q.changer(ctx)
	if err != nil {
		return u, "", err
	}
	defer unlock()
	if loaded, err = available(ctx, c.Journal, q.CC); err != nil {
		return u, "", err
	}
	u, err = scope(c.Journal).Change(unit, q.CC, loaded)
	if errors.Is(err, os.ErrPermission) {
		err = hint.With(fmt.Errorf("change what the unit %s will open: %w", unit, err), "run it as root (sudo), and not in a container")
	}
	kept, failed := keep(ctx, c.Journal, loaded)
	return u, kept, errors.Join(err, failed)
}

func scope(j *tunelive.Journal) *tunelive.Scope {
	return &tunelive.Scope{Groups: tunelive.HostGroups{}, Journal: j, Now: time.Now}
}

// UnitStatus is what has become of the units whose later connections were
// changed. As Status it changes nothing and takes no lock.
func UnitStatus(dir string) ([]outcome.LiveUnitItem, error) {
	boot, netns, err := herePlace()
	if err != nil {
		return nil, err
	}
	j, err := tunelive.Open(disk.OS{}, dir, boot, netns)
	if err != nil {
		return nil, err
	}
	return scope(j).Stands()
}
