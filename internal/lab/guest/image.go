// Package guest boots a whole distribution: Debian 12 or 13 with systemd as its init,
// on a User-Mode Linux kernel in real time, with real kernel modules and a disk
// that keeps what is written to it from one boot to the next. It is for what
// only shows on a host that boots: who sets a sysctl last, whether a module is
// there by then, what a power cut leaves.
//
// The image is made once, by mmdebstrap, which needs the network; kernel and
// modules are Debian 12's own package user-mode-linux, behind before/registers.c.
package guest

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // the recipe
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Suite is a release of Debian.
type Suite string

// The releases. Bookworm has /etc/sysctl.conf and a link to it in sysctl.d.
const (
	Bookworm Suite = "bookworm" // 12
	Trixie   Suite = "trixie"   // 13
)

// root is what an image is made of: a release, and the packages that are on it
// beside Debian's essential ones.
type root struct {
	suite    Suite
	packages []string
}

func rootOf(s Suite, more []string) root {
	all := []string{"iproute2", "kmod", "procps", "systemd", "systemd-sysv", "udev"}
	if s == Bookworm {
		all = append(all, kernelPackage)
	}
	return root{s, append(all, more...)}
}

// kernelPackage has the kernel of every release: that of Debian 12. A later one's
// is linked with a C library that this host may not have yet.
const kernelPackage = "user-mode-linux"

//go:embed recipe.sh
var recipe []byte

//go:embed before/registers.c
var registers []byte

// Image is a kernel and the disk that machines begin with.
type Image struct {
	Kernel string // file
	Disk   string // file; machines do not change it
	Before string // file of the library that stands before the kernel's C library
}

// ErrNeeds is what this host lacks to make an image.
var ErrNeeds = errors.New("no image of a Debian host")

// Get finds the image of a release in this user's cache, or makes it there, with
// further packages of Debian's that what is done there needs.
func Get(ctx context.Context, suite Suite, packages ...string) (Image, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return Image{}, fmt.Errorf("%w: its kernel is for Linux on amd64", ErrNeeds)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return Image{}, fmt.Errorf("%w: %w", ErrNeeds, err)
	}
	var with Image // the kernel
	if suite != Bookworm {
		if with, err = Get(ctx, Bookworm); err != nil {
			return Image{}, err
		}
	}
	base := filepath.Join(cache, "unchoke", "guest")
	if err := os.MkdirAll(base, 0o755); err != nil {
		return Image{}, fmt.Errorf("%w: %w", ErrNeeds, err)
	}
	unlock, err := lock(filepath.Join(base, "lock"))
	if err != nil {
		return Image{}, err
	}
	defer unlock()
	made := rootOf(suite, packages)
	image := in(filepath.Join(base, made.key()))
	if image.Before, err = before(ctx, base); err != nil {
		return Image{}, fmt.Errorf("%w: %w", ErrNeeds, err)
	}
	if _, err := os.Stat(image.Disk); err == nil {
		return image, nil
	}
	if err := made.build(ctx, base, with); err != nil {
		return Image{}, fmt.Errorf("%w: %w", ErrNeeds, err)
	}
	return image, nil
}

func in(dir string) Image {
	return Image{Kernel: filepath.Join(dir, "linux"), Disk: filepath.Join(dir, "disk")}
}

// before finds the library of registers.c below a directory, or makes it there.
func before(ctx context.Context, base string) (string, error) {
	sum := sha256.Sum256(registers)
	library := filepath.Join(base, "registers-"+hex.EncodeToString(sum[:6])+".so")
	if _, err := os.Stat(library); err == nil {
		return library, nil
	}
	source, made := library+".c", library+".new"
	defer os.Remove(source)
	if err := os.WriteFile(source, registers, 0o644); err != nil {
		return "", err
	}
	if err := run(ctx, "gcc", "-O2", "-fPIC", "-shared", "-o", made, source); err != nil {
		return "", err
	}
	return library, os.Rename(made, library)
}

// key names what an image is made of.
func (r root) key() string {
	sum := sha256.Sum256(append([]byte(string(r.suite)+" "+strings.Join(r.packages, " ")+"\n"), recipe...))
	return string(r.suite) + "-" + hex.EncodeToString(sum[:6])
}

// build makes the image.
func (r root) build(ctx context.Context, base string, with Image) error {
	// Below the system's own directory for temporary files: mmdebstrap's user
	// namespace may not enter a home.
	work, err := os.MkdirTemp("", "unchoke-guest-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	script := filepath.Join(work, "recipe")
	if err := errors.Join(os.WriteFile(script, recipe, 0o755), os.Mkdir(filepath.Join(work, "out"), 0o777), os.Chmod(work, 0o755)); err != nil {
		return err
	}
	out := filepath.Join(work, "out")
	if err := os.Chmod(out, 0o777); err != nil { // whatever the umask
		return err
	}
	hooks, err := with.lend(ctx, work)
	if err != nil {
		return err
	}
	if err := run(ctx, "mmdebstrap", append(hooks,
		"--variant=minbase", "--include="+strings.Join(r.packages, ","),
		"--aptopt=Acquire::Languages \"none\"",
		"--customize-hook="+script+" \"$1\" "+out,
		string(r.suite), "/dev/null")...); err != nil {
		return err
	}
	// The disk is mostly holes; they stay.
	made := filepath.Join(base, "new")
	if err := errors.Join(os.RemoveAll(made), run(ctx, "cp", "--recursive", "--sparse=always", out, made)); err != nil {
		return err
	}
	return os.Rename(made, filepath.Join(base, r.key()))
}

// lend returns options of mmdebstrap that put an image's kernel and its modules
// where the package has them; none for no image.
func (i Image) lend(ctx context.Context, work string) ([]string, error) {
	if i.Kernel == "" {
		return nil, nil
	}
	lent := filepath.Join(work, "lent")
	if err := os.Mkdir(lent, 0o755); err != nil {
		return nil, err
	}
	if err := run(ctx, "cp", i.Kernel, filepath.Join(lent, "linux.uml")); err != nil {
		return nil, err
	}
	if err := run(ctx, "debugfs", "-R", "rdump /usr/lib/modules "+lent, i.Disk); err != nil {
		return nil, err
	}
	return []string{
		"--customize-hook=mkdir \"$1/usr/lib/uml\" && cp -r " + lent + "/modules \"$1/usr/lib/uml/\" && cp " + lent + "/linux.uml \"$1/usr/bin/\"",
	}, nil
}

func run(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "PATH="+os.Getenv("PATH")+":/usr/sbin:/sbin")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, lastLines(said.String()))
	}
	return nil
}

// lastLines are those that tell why a program ended.
func lastLines(text string) string {
	const most = 12
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(len(lines)-most, 0):], "\n")
}
