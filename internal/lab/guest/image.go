// Package guest boots a whole distribution: Debian 12 or 13 with systemd as its init,
// on a User-Mode Linux kernel in real time, with real kernel modules and a disk
// that keeps what is written to it from one boot to the next. It is for what
// only shows on a host that boots: who sets a sysctl last, whether a module is
// there by then, what a power cut leaves.
//
// The image is made once, by mmdebstrap, which needs the network; kernel and
// modules are Debian's own package user-mode-linux.
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

// packages are on the image beside Debian's essential ones.
var packages = []string{"iproute2", "kmod", "procps", "systemd", "systemd-sysv", "udev", "user-mode-linux"}

//go:embed recipe.sh
var recipe []byte

// Image is a kernel and the disk that machines begin with.
type Image struct {
	Kernel string // file
	Disk   string // file; machines do not change it
}

// ErrNeeds is what this host lacks to make an image.
var ErrNeeds = errors.New("no image of a Debian host")

// Get finds the image of a release in this user's cache, or makes it there.
func Get(ctx context.Context, suite Suite) (Image, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return Image{}, fmt.Errorf("%w: its kernel is for Linux on amd64", ErrNeeds)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return Image{}, fmt.Errorf("%w: %w", ErrNeeds, err)
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
	image := in(filepath.Join(base, suite.key()))
	if _, err := os.Stat(image.Disk); err == nil {
		return image, nil
	}
	if err := suite.build(ctx, base); err != nil {
		return Image{}, fmt.Errorf("%w: %w", ErrNeeds, err)
	}
	return image, nil
}

func in(dir string) Image {
	return Image{Kernel: filepath.Join(dir, "linux"), Disk: filepath.Join(dir, "disk")}
}

// key names what an image is made of.
func (s Suite) key() string {
	sum := sha256.Sum256(append([]byte(string(s)+" "+strings.Join(packages, " ")+"\n"), recipe...))
	return string(s) + "-" + hex.EncodeToString(sum[:6])
}

// build makes the image.
func (s Suite) build(ctx context.Context, base string) error {
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
	if err := run(ctx, "mmdebstrap",
		"--variant=minbase", "--include="+strings.Join(packages, ","),
		"--aptopt=Acquire::Languages \"none\"",
		"--customize-hook="+script+" \"$1\" "+out,
		string(s), "/dev/null"); err != nil {
		return err
	}
	// The disk is mostly holes; they stay.
	made := filepath.Join(base, "new")
	if err := errors.Join(os.RemoveAll(made), run(ctx, "cp", "--recursive", "--sparse=always", out, made)); err != nil {
		return err
	}
	return os.Rename(made, filepath.Join(base, s.key()))
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
