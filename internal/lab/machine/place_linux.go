package machine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// place is the directory that one machine has on this host while it runs. Its
// lock tells the living from those whose user was killed.
type place struct {
	base   string // of this user, for all machines
	dir    string // of this machine
	memory string // where the kernel may make its memory file
	lock   *os.File
}

// Names in a place.
const (
	placePrefix = "machine-"
	lockName    = "lock"
)

// newPlace makes a place for a machine with so much memory, and removes those
// that killed users left.
func newPlace(memory int) (*place, error) {
	memDir, err := memoryDir(int64(memory) << 20)
	if err != nil {
		return nil, err
	}
	base, err := baseDir()
	if err != nil {
		return nil, err
	}
	// Between a place and its lock, nobody may take it for a dead one.
	all, err := flock(filepath.Join(base, lockName), 0)
	if err != nil {
		return nil, fmt.Errorf("make a directory for the machine: %w", err)
	}
	defer all.Close()
	removeDead(base)
	dir, err := os.MkdirTemp(base, placePrefix)
	if err != nil {
		return nil, fmt.Errorf("make a directory for the machine: %w", err)
	}
	p := &place{base: base, dir: dir, memory: memDir}
	if err := p.fill(); err != nil {
		p.remove()
		return nil, fmt.Errorf("make a directory for the machine: %w", err)
	}
	return p, nil
}

func (p *place) fill() error {
	var err error
	if p.lock, err = flock(filepath.Join(p.dir, lockName), unix.LOCK_NB); err != nil {
		return err
	}
	return os.Mkdir(p.share(""), 0o700)
}

// share is the path of a file that the machine can read as well.
func (p *place) share(name string) string { return filepath.Join(p.dir, shareName, name) }

func (p *place) remove() {
	// What cannot be removed now is when the next machine starts.
	_ = os.RemoveAll(p.dir)
	if p.lock != nil {
		p.lock.Close()
	}
}

// removeDead removes the places whose lock nobody holds.
func removeDead(base string) {
	dirs, _ := filepath.Glob(filepath.Join(base, placePrefix+"*")) // the pattern is well-formed
	for _, dir := range dirs {
		lock, err := flock(filepath.Join(dir, lockName), unix.LOCK_NB)
		if err != nil {
			continue
		}
		_ = os.RemoveAll(dir)
		lock.Close()
	}
}

// flock takes a lock file, without waiting where flags has LOCK_NB. Closing
// the file releases it, and so does this process's end.
func flock(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|flags); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// baseDir is this user's directory for machines, in memory where possible.
func baseDir() (string, error) {
	var errs []error
	for _, parent := range tempDirs() {
		dir := filepath.Join(parent, "unchoke-"+strconv.Itoa(os.Getuid()))
		err := os.Mkdir(dir, 0o700)
		if err != nil && !os.IsExist(err) {
			errs = append(errs, err)
			continue
		}
		if err := ownDir(dir); err != nil {
			errs = append(errs, err)
			continue
		}
		return dir, nil
	}
	return "", fmt.Errorf("make a directory for lab machines: %w", errors.Join(errs...))
}

// ownDir refuses a directory that another user could have prepared.
func ownDir(dir string) error {
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return fmt.Errorf("look at %s: %w", dir, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR || int(st.Uid) != os.Getuid() || st.Mode&0o077 != 0 {
		return fmt.Errorf("%s is not a directory of this user alone", dir)
	}
	return nil
}

// memoryDir is a directory for a file of size bytes that is mapped executable:
// in memory if one is large enough, and a container's /dev/shm often is not.
func memoryDir(size int64) (string, error) {
	var refused []string
	for _, dir := range tempDirs() {
		var fs unix.Statfs_t
		switch err := unix.Statfs(dir, &fs); {
		case err != nil:
			continue
		case fs.Flags&unix.ST_NOEXEC != 0:
			refused = append(refused, dir+" is mounted noexec")
		case int64(fs.Bavail)*int64(fs.Bsize) < size: // int32 on some platforms
			refused = append(refused, dir+" is too full")
		case unix.Access(dir, unix.W_OK) != nil:
			refused = append(refused, dir+" cannot be written")
		default:
			return dir, nil
		}
	}
	return "", fmt.Errorf("no directory for the machine's memory of %d MiB: %s", size>>20, strings.Join(refused, ", "))
}

// tempDirs are where temporary files may go, those in memory first.
func tempDirs() []string {
	dirs := []string{"/dev/shm", os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/var/tmp"}
	var given []string
	for _, d := range dirs {
		if filepath.IsAbs(d) {
			given = append(given, d)
		}
	}
	return given
}
