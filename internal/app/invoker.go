package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"strings"

	"unchoke/internal/bounded"
	"unchoke/internal/hint"
	"unchoke/internal/record"
	"unchoke/internal/state"
)

// invoker is the user on whose behalf sudo runs this program as root. What they
// measured is in their home, and is read by a process with their rights: root
// opens none of their files, whatever those are links to.
type invoker struct {
	uid, gid uint32
	home     string
}

// sudoInvoker is nil where this program does not run as root for somebody else.
func sudoInvoker(euid int, environ func(string) string) (*invoker, error) {
	id := environ("SUDO_UID")
	if euid != 0 || id == "" || id == "0" {
		return nil, nil
	}
	uid, err1 := strconv.ParseUint(id, 10, 32)
	gid, err2 := strconv.ParseUint(environ("SUDO_GID"), 10, 32)
	if err := errors.Join(err1, err2); err != nil {
		return nil, hint.With(fmt.Errorf("find who ran sudo: %w", err), "give the record's file: --for FILE, with SUDO_UID unset")
	}
	u, err := user.LookupId(id)
	if err != nil {
		return nil, hint.With(fmt.Errorf("find who ran sudo: %w", err), "give the record's file: --for FILE, with SUDO_UID unset")
	}
	return &invoker{uid: uint32(uid), gid: uint32(gid), home: u.HomeDir}, nil
}

// maxRecord bounds what is taken from a user's process: a record of 18 streams
// is 6 MB.
const maxRecord = 256 << 20

// ownProgram is the file of this program. Linux has a name for it that works also
// where the user may not read it.
func ownProgram() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	program, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the running program: %w", err)
	}
	return program, nil
}

// run has this program run as the user, and returns what it printed.
func (i *invoker) run(arguments ...string) ([]byte, error) {
	program, err := ownProgram()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, arguments...)
	cmd.Args[0] = "unchoke"
	cmd.Dir = "/"
	cmd.Env = []string{"HOME=" + i.home, "PATH=/usr/bin:/bin"}
	for _, name := range []string{"UNCHOKE_STATE_DIR", "XDG_STATE_HOME"} {
		if value, set := os.LookupEnv(name); set {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	if err := i.impersonate(cmd); err != nil {
		return nil, err
	}
	out, said := bounded.Buffer{Most: maxRecord}, bounded.Buffer{Most: 4 << 10}
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		text := strings.TrimPrefix(strings.TrimSpace(said.String()), "unchoke: ")
		what, next, _ := strings.Cut(text, "\nhint: ")
		err = fmt.Errorf("as user %d, unchoke %s: %w: %q", i.uid, strings.Join(arguments, " "), err, what)
		if next != "" {
			return nil, hint.With(err, strconv.Quote(next))
		}
		return nil, err
	}
	return out.Bytes(), nil
}

// check is the user's newest check of a target, or of all; or the record that
// name is. nil where there is none and none is named.
func (i *invoker) check(name string) (*record.Run, error) {
	if !isRecord(name) {
		b, err := i.run("record", "list", "--json")
		if err != nil {
			return nil, err
		}
		var list struct {
			Records []state.Summary `json:"records"`
		}
		if err := json.Unmarshal(b, &list); err != nil {
			return nil, fmt.Errorf("read the records of user %d: %w", i.uid, err)
		}
		r, found := NewestOf(list.Records, name)
		if !found {
			return nil, nil
		}
		name = r.ID
	}
	b, err := i.run("record", "show", "--json", "--", name)
	if err != nil {
		return nil, err
	}
	d, err := record.ReadDocument(bytes.NewReader(b))
	return runOf(d, err)
}
