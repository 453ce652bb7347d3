// Package survey reads what a plan is made from: of the running host, or of an
// image of one that is mounted somewhere. It changes nothing.
package survey

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"unchoke/internal/audit"
	"unchoke/internal/linux/cc"
	"unchoke/internal/linux/module"
	"unchoke/internal/linux/sockdiag"
	"unchoke/internal/linux/sysctl"
	"unchoke/internal/tune"
	"unchoke/internal/tune/sysctld"
)

// Host surveys the running host, in the calling thread's network namespace.
// The present values of what a plan may change are as host reads them. What
// could not be read is told in the facts' warnings, since a plan that does not
// need it can still be made.
func Host(host tune.Host) tune.Facts {
	root := os.DirFS("/")
	var f tune.Facts
	warn := warner(&f)
	readFiles(&f, root)
	f.Kernel.Release = readLine(root, "proc/sys/kernel/osrelease")
	readKernel(&f, root, sysctl.Kernel)
	f.System.Init = initOfHost(root, f.System.ID)
	f.System.Container = audit.Container(root)
	readProc(&f, root)
	f.Apart = apart()
	f.Networkd = networkd(root)
	warn(readLive(&f, host))
	connections, err := sockdiag.Connections()
	warn(err)
	for _, c := range connections {
		if f.Sockets == nil {
			f.Sockets = map[string]int{}
		}
		f.Sockets[c.CC]++
	}
	for _, name := range filesToKeep(&f) {
		value, err := host.Read(tune.File, name)
		warn(err)
		if value != nil {
			f.Files[name] = *value
		}
	}
	return f
}

// Image surveys a mounted image: what its files say, without a kernel.
func Image(dir string) (tune.Facts, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return tune.Facts{}, fmt.Errorf("survey image: %w", err)
	}
	root := os.DirFS(dir)
	if _, err := fs.Stat(root, "etc"); err != nil {
		return tune.Facts{}, fmt.Errorf("survey image %s: %w", dir, err)
	}
	f := tune.Facts{Root: dir}
	readFiles(&f, root)
	releases, err := module.Releases(root)
	warner(&f)(err)
	if len(releases) > 0 {
		f.Kernel.Release = releases[len(releases)-1]
		if len(releases) > 1 {
			f.Warnings = append(f.Warnings, "the image has several kernels; the plan goes by "+f.Kernel.Release)
		}
	}
	findModules(&f, root)
	f.Kernel.DefaultCC, f.Kernel.DefaultQdisc = builtWith(root, f.Kernel.Release)
	f.System.Init = initOfImage(root, f.System.ID)
	for _, name := range filesToKeep(&f) {
		if value, ok := imageFile(root, name); ok {
			f.Files[name] = value
		}
	}
	return f, nil
}

func warner(f *tune.Facts) func(error) {
	return func(err error) {
		if err != nil {
			f.Warnings = append(f.Warnings, err.Error())
		}
	}
}

// readFiles reads what a host and an image have in common.
func readFiles(f *tune.Facts, root fs.FS) {
	var err error
	f.Files = map[string]string{}
	f.Boot, err = sysctld.Load(root)
	warner(f)(err)
	f.System.ID, f.System.Name, f.System.Version = osRelease(root)
	f.Tuned = tuned(root)
}

// filesToKeep are those whose present value a plan may need: its own, and the
// files below /etc that may set the same keys.
func filesToKeep(f *tune.Facts) []string {
	names := slices.Clone(tune.OwnFiles)
	for name, node := range f.Boot {
		if node.Kind == sysctld.File && strings.HasPrefix(name, "/etc/") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// readKernel reads what the running kernel holds.
func readKernel(f *tune.Facts, root fs.FS, t sysctl.Tree) {
	f.Sysctls = map[string]string{}
	for _, key := range tune.Keys {
		if words, err := t.Words(key); err == nil {
			f.Sysctls[key] = strings.Join(words, " ")
		}
	}
	var err error
	f.Kernel.Available, err = cc.Available(t)
	warner(f)(err)
	f.Kernel.Allowed, _ = cc.Allowed(t) // absent before 2.6.20 only
	for _, key := range []string{"net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding"} {
		if on, err := t.Bool(key); err == nil && on {
			f.System.Forwards = true
		}
	}
	findModules(f, root)
	f.Kernel.DefaultCC, f.Kernel.DefaultQdisc = builtWith(root, f.Kernel.Release)
}

// findModules looks for the modules that a plan may need. Where a kernel has
// no directory of modules, nothing tells what is built in; such a kernel has
// all that it has in itself, and the small ones have no fq only rarely.
func findModules(f *tune.Facts, root fs.FS) {
	found, err := module.Find(root, f.Kernel.Release, tune.Wanted)
	warner(f)(err)
	f.Kernel.Modules, f.Kernel.BuiltIn = found.OnDisk, found.BuiltIn
	if f.Root != "" {
		return
	}
	loaded, err := module.Loaded()
	warner(f)(err)
	for _, name := range tune.Wanted {
		if _, ok := loaded[name]; ok {
			f.Kernel.Loaded = append(f.Kernel.Loaded, name)
		}
	}
	if !found.Indexed {
		f.Kernel.BuiltIn = append(f.Kernel.BuiltIn, module.InSymbols(root, tune.Wanted)...)
	}
}
