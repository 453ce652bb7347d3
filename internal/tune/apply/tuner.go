// Package apply makes a plan's changes so that every one of them can be taken
// back: each is in the journal with its old value before the first is made,
// what counts at once is watched by a timer until it is confirmed, and what
// outlasts a reboot is written only after that.
package apply

import (
	"context"
	"errors"
	"time"

	"unchoke/internal/tune"
	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/journal"
	"unchoke/internal/tune/tree"
)

// Host is where changes are made.
type Host interface {
	tune.Host
	// Writable returns nil where Write may be tried. It changes nothing.
	Writable(kind tune.Kind, key string) error
	// Send sends one message to a device's tree, which Write does not change.
	Send(device string, m tree.Message) error
}

// Timer takes a round back in time, whatever becomes of this process.
type Timer interface {
	Arm(ctx context.Context, round string, after time.Duration) (journal.Timer, error)
	Disarm(journal.Timer) error
}

// Tuner changes one host.
type Tuner struct {
	Host    Host
	Disk    disk.Disk
	Dir     string // of the journal
	Boot    string // random, a boot: /proc/sys/kernel/random/boot_id
	Netns   uint64 // the number of this network namespace; 0 where it is not known
	Apart   bool   // it is not the one for which the files of the boot are read
	Version string // of this program
	Timer   Timer
	Now     func() time.Time
	// Lock keeps other runs away. It waits where ctx is not done.
	Lock func(ctx context.Context) (unlock func(), err error)
	// Random fills a slice for tokens and names.
	Random func([]byte)
}

// open locks the journal and reads it.
func (t *Tuner) open(ctx context.Context) (*journal.Journal, func(), error) {
	unlock, err := t.Lock(ctx)
	if err != nil {
		return nil, nil, err
	}
	j, err := journal.Open(t.Disk, t.Dir)
	if err != nil {
		unlock()
		return nil, nil, err
	}
	if sweeper, ok := t.Timer.(interface{ Sweep(but string) }); ok {
		running := ""
		if timer := j.State().Timer; timer != nil {
			running = timer.Program
		}
		sweeper.Sweep(running)
	}
	return j, unlock, nil
}

// State is what the journal tells, without waiting for a run that is changing
// it.
func (t *Tuner) State() (journal.State, error) {
	j, err := journal.Open(t.Disk, t.Dir)
	if err != nil {
		return journal.State{}, err
	}
	return j.State(), nil
}

func (t *Tuner) write(j *journal.Journal, e journal.Event) error {
	e.Time, e.Boot = t.Now().UTC(), t.Boot
	return j.Write(e)
}

// lockWait is how long a command waits for another; a run holds the lock only
// while it changes something.
const lockWait = 5 * time.Second

// atOnce is a context for a lock that is waited for a little.
func atOnce(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), lockWait)
}

var errChangedMeanwhile = errors.New("the round was taken back meanwhile")
