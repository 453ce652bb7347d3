package kernel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Origin is what a kernel was made from, for those who get it without its source.
type Origin struct {
	Package string // of the distribution, and its version; empty for a file of none
	SHA256  string // of the archive
	Patch   []byte // our edits, for patch -p1
	Licence []byte // the source's file COPYING and what it refers to
}

// ReadOrigin reads where a kernel comes from off the archive that it was built
// from, which must still be the same.
func ReadOrigin(ctx context.Context, info Info) (Origin, error) {
	src, err := openSource(info.Source)
	if err != nil {
		return Origin{}, err
	}
	if !src.archive {
		return Origin{}, fmt.Errorf("%s is no archive", info.Source)
	}
	id, err := src.identity(ctx)
	if err != nil {
		return Origin{}, err
	}
	if key, err := buildKey(id, nil); err != nil || key != info.Key {
		return Origin{}, errors.Join(fmt.Errorf("kernel %s was not built from %s without patches", info.Key, info.Source), err)
	}
	work, err := os.MkdirTemp("", "unchoke-kernel-")
	if err != nil {
		return Origin{}, err
	}
	defer os.RemoveAll(work)
	o := Origin{Package: packageOf(ctx, src.path), SHA256: id}
	if o.Patch, err = src.patch(ctx, work); err != nil {
		return Origin{}, fmt.Errorf("write our edits of %s as a patch: %w", src.path, err)
	}
	for _, name := range licence {
		text, err := os.ReadFile(filepath.Join(work, "a", name))
		if err != nil {
			return Origin{}, err
		}
		o.Licence = append(append(o.Licence, text...), '\n')
	}
	return o, nil
}

// patch unpacks the files that our edits change, and the licence, into a
// directory's a, edits them in its b and returns the difference.
func (s source) patch(ctx context.Context, work string) ([]byte, error) {
	original, edited := filepath.Join(work, "a"), filepath.Join(work, "b")
	if err := os.Mkdir(original, 0o755); err != nil {
		return nil, err
	}
	args := []string{"-x", "-f", s.path, "-C", original, "--strip-components=1", "--wildcards", "--no-wildcards-match-slash"}
	files := editedFiles()
	for _, name := range append(slices.Clone(files), licence...) {
		args = append(args, "*/"+name)
	}
	var said bytes.Buffer
	if err := run(ctx, nil, &said, "tar", args...); err != nil {
		return nil, fmt.Errorf("%w: %s", err, &said)
	}
	if err := os.CopyFS(edited, os.DirFS(original)); err != nil {
		return nil, err
	}
	for _, e := range edits {
		if err := e.apply(edited); err != nil {
			return nil, err
		}
	}
	var patch []byte
	for _, name := range files {
		out, err := exec.CommandContext(ctx, "diff", "-u", "--label=a/"+name, "--label=b/"+name, filepath.Join(original, name), filepath.Join(edited, name)).Output()
		// diff exits with 1 where files differ, as these must.
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 {
			return nil, errors.Join(fmt.Errorf("diff of %s", name), err)
		}
		patch = append(patch, out...)
	}
	return patch, nil
}

// licence are the files of a kernel's source that say how it may be used: the
// last two are what the first refers to.
var licence = []string{"COPYING", "LICENSES/preferred/GPL-2.0", "LICENSES/exceptions/Linux-syscall-note"}

func editedFiles() []string {
	var files []string
	seen := map[string]bool{}
	for _, e := range edits {
		if !seen[e.file] {
			files = append(files, e.file)
		}
		seen[e.file] = true
	}
	return files
}

// packageOf names the distribution's package that a file came with and its
// version, "linux-source-6.12=6.12.57-1": what apt or snapshot.debian.org is
// asked for. It is empty for a file of no package.
func packageOf(ctx context.Context, file string) string {
	owner, err := exec.CommandContext(ctx, "dpkg-query", "--search", file).Output()
	if err != nil {
		return ""
	}
	name, _, _ := strings.Cut(string(owner), ":")
	version, err := exec.CommandContext(ctx, "dpkg-query", "--show", "--showformat=${Package}=${Version}", name).Output()
	if err != nil {
		return ""
	}
	return string(version)
}
