// Package kernel builds the lab machine's User-Mode Linux kernel from the
// distribution's kernel source, and keeps the kernels it built in the user's
// cache. It finds those of the package unchoke-lab-kernel as well.
//
// A kernel's directory is named by its key, a digest of everything that went
// into it: the source, the patches, the configuration and our own edits. So a
// change to any of them builds another kernel beside the old one.
package kernel

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"unchoke/internal/hint"
)

//go:embed lab.config
var requiredConfig string

//go:embed optional.config
var optionalConfig string

// Info describes one built kernel. It is kept beside the kernel as info.json.
type Info struct {
	Schema     string    `json:"schema"`
	Key        string    `json:"key"`
	Version    string    `json:"version"`
	Path       string    `json:"path"`
	SizeBytes  int64     `json:"size_bytes"`
	Source     string    `json:"source"`
	SourceName string    `json:"source_package,omitempty"` // of the distribution, with its version
	SourceHash string    `json:"source_sha256,omitempty"`  // of an archive
	Patches    []string  `json:"patches"`
	Edits      []string  `json:"edits"`
	Recipe     string    `json:"recipe"` // digest of our configuration and edits
	Seccomp    bool      `json:"seccomp"`
	BuiltAt    time.Time `json:"built_at"`
	BuildTimeS float64   `json:"build_time_s"`
}

// Schema is the version of info.json.
const Schema = "unchoke.lab.kernel/1"

// Files of a kernel's directory.
const (
	imageName  = "linux"
	configName = "config"
	logName    = "log"
	infoName   = "info.json"
)

// ErrNone reports that no kernel has been built that this version of unchoke
// can use.
var ErrNone = errors.New("no lab kernel is built")

// Dir is where built kernels are kept: unchoke/kernel in the user's cache.
func Dir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache for lab kernels: %w", err)
	}
	return filepath.Join(cache, "unchoke", "kernel"), nil
}

// List returns the kernels in dir, newest version first and, of one version,
// the latest built first. A directory without a readable info.json is skipped.
func List(dir string) ([]Info, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list lab kernels: %w", err)
	}
	var infos []Info
	for _, e := range entries {
		info, err := readInfo(filepath.Join(dir, e.Name()))
		if err == nil {
			infos = append(infos, info)
		}
	}
	slices.SortStableFunc(infos, func(a, b Info) int {
		if c := compareVersions(b.Version, a.Version); c != 0 {
			return c
		}
		return b.BuiltAt.Compare(a.BuiltAt)
	})
	return infos, nil
}

// isFile says whether a kernel's name is that of a file.
func isFile(name string) bool { return strings.Contains(name, string(filepath.Separator)) }

// ofFile is the kernel in a file, which need not be one that we built.
func ofFile(path string) (Info, error) {
	if info, err := readInfo(filepath.Dir(path)); err == nil && info.Path == path {
		return info, nil
	}
	st, err := os.Stat(path)
	if err != nil {
		return Info{}, hint.With(fmt.Errorf("kernel: %w", err), whichKernels)
	}
	if !st.Mode().IsRegular() || st.Mode()&0o111 == 0 {
		return Info{}, hint.With(fmt.Errorf("kernel %s: not an executable file", path), whichKernels)
	}
	return Info{Path: path, SizeBytes: st.Size(), BuiltAt: st.ModTime()}, nil
}

func readInfo(dir string) (Info, error) {
	var info Info
	data, err := os.ReadFile(filepath.Join(dir, infoName))
	if err != nil {
		return info, err
	}
	if err := json.Unmarshal(data, &info); err != nil {
		return info, fmt.Errorf("read %s: %w", filepath.Join(dir, infoName), err)
	}
	info.Path = filepath.Join(dir, imageName)
	if _, err := os.Stat(info.Path); err != nil {
		return info, err
	}
	return info, nil
}

// recipe is the digest of what we make of any source: the configuration and
// the edits.
func recipe() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", requiredConfig, optionalConfig)
	for _, e := range edits {
		fmt.Fprintf(h, " %q %q", e.file, e.changes)
	}
	return hex.EncodeToString(h.Sum(nil))[:keyLength]
}

// keyLength is in hexadecimal digits: 64 bits, far more than a user's cache
// can collide in.
const keyLength = 16

// compareVersions orders kernel versions such as 6.12.57 and 6.9.
func compareVersions(a, b string) int {
	return slices.Compare(versionNumbers(a), versionNumbers(b))
}

func versionNumbers(v string) []int {
	var numbers []int
	n, digits := 0, false
	for _, c := range v + "." {
		switch {
		case c >= '0' && c <= '9':
			n, digits = n*10+int(c-'0'), true
		case digits:
			numbers = append(numbers, n)
			n, digits = 0, false
		}
		if c != '.' && (c < '0' || c > '9') {
			break
		}
	}
	return numbers
}
