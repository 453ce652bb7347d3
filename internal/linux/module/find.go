package module

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"unchoke/internal/ls"
)

// Found is which of some modules a kernel has.
type Found struct {
	OnDisk  []string // as modules, loaded or not
	BuiltIn []string
	// Indexed says that the kernel has a list of what is built in. Where it is
	// false, a module that is not on disk may be built in or missing.
	Indexed bool
}

// Find looks for modules by name in the files of one kernel release below
// root.
func Find(root fs.FS, release string, names []string) (Found, error) {
	var found Found
	for _, dir := range directories {
		dir = path.Join(dir, release)
		files, err := modules(root, dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return found, fmt.Errorf("list modules of kernel %s: %w", release, err)
		}
		found.OnDisk = among(names, files)
		index, err := fs.ReadFile(root, path.Join(dir, "modules.builtin"))
		if err == nil {
			found.Indexed = true
			found.BuiltIn = among(names, strings.Fields(string(index)))
		} else if !errors.Is(err, fs.ErrNotExist) {
			return found, fmt.Errorf("list what kernel %s has built in: %w", release, err)
		}
		return found, nil
	}
	return found, nil
}

// among are the names that one of the files is the module of.
func among(names, files []string) []string {
	var out []string
	for _, file := range files {
		base, _, ok := strings.Cut(path.Base(file), ".ko")
		name := strings.ReplaceAll(base, "-", "_")
		if ok && slices.Contains(names, name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Releases are the kernels that have modules below root, the newest last.
func Releases(root fs.FS) ([]string, error) {
	for _, dir := range append([]string{"usr/lib/modules"}, directories...) {
		entries, err := ls.Dir(root, dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list kernels: %w", err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		sort.SliceStable(names, func(i, j int) bool { return compareReleases(names[i], names[j]) < 0 })
		return names, nil
	}
	return nil, nil
}

// compareReleases orders by the numbers in a release.
func compareReleases(a, b string) int {
	numbers := func(s string) (out []int) {
		for _, word := range strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
			n, _ := strconv.Atoi(word) // digits only
			out = append(out, n)
		}
		return out
	}
	return cmp.Or(slices.Compare(numbers(a), numbers(b)), cmp.Compare(a, b))
}

// InSymbols are the modules of which the running kernel has the code, by its
// symbols (/proc/kallsyms). Without symbols, as on the smallest kernels, it is
// what such a kernel has in it for certain: nothing is known, and all are
// given.
func InSymbols(root fs.FS, names []string) []string {
	f, err := root.Open("proc/kallsyms")
	if err != nil {
		return names
	}
	defer f.Close()
	var out []string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 3 {
			continue
		}
		for _, name := range names {
			if slices.Contains(operations[name], fields[2]) && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// operations are functions that only one module has (net/ipv4/tcp_bbr.c,
// net/sched/sch_fq.c).
var operations = map[string][]string{
	"tcp_bbr": {"bbr_main", "bbr_init"},
	"sch_fq":  {"fq_flow_purge", "fq_classify", "fq_flow_set_throttled"},
}
