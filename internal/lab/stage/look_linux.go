package stage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// look finds the program that a shell would run for name, in the PATH of env,
// seen from the directory dir.
func look(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if err := executable(path); err != nil {
			return "", unusable(name, err)
		}
		return path, nil
	}
	denied := error(nil)
	for _, d := range filepath.SplitList(lastValue(env, "PATH")) {
		if !filepath.IsAbs(d) {
			d = filepath.Join(dir, d)
		}
		path := filepath.Join(d, name)
		err := executable(path)
		if err == nil {
			return path, nil
		}
		if errors.Is(err, fs.ErrPermission) {
			denied = err
		}
	}
	if denied != nil {
		return "", unusable(name, denied)
	}
	return "", unusable(name, fs.ErrNotExist)
}

func executable(path string) error {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case st.IsDir():
		return unix.EISDIR
	case st.Mode()&0o111 == 0:
		return fs.ErrPermission
	}
	return nil
}

// unusable says why the shell's statuses 126 and 127 would come.
func unusable(name string, err error) *Failure {
	if errors.Is(err, fs.ErrNotExist) {
		return failure(StatusNotFound, "a lab machine has this host's programs; install it here", "%s: command not found", name)
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return failure(StatusNotExecutable, "", "%s: cannot be run: %v", name, err)
}

// lastValue is the value of a variable in env, the last one given.
func lastValue(env []string, name string) string {
	value := ""
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}
