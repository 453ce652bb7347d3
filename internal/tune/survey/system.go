package survey

import (
	"io/fs"
	"iter"
	"os"
	"path"
	"strconv"
	"strings"

	"unchoke/internal/linux/proc"
	"unchoke/internal/tune"
)

// osRelease reads os-release(5).
func osRelease(root fs.FS) (id, name, version string) {
	for _, file := range []string{"etc/os-release", "usr/lib/os-release"} {
		content, err := fs.ReadFile(root, file)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(content)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			value = strings.Trim(value, `"'`)
			switch key {
			case "ID":
				id = value
			case "PRETTY_NAME":
				name = value
			case "VERSION_ID":
				version = value
			}
		}
		return id, name, version
	}
	return "", "", ""
}

// initOfHost finds who sets sysctls at boot, by what runs.
func initOfHost(root fs.FS, id string) tune.Init {
	if exists(root, "run/systemd/system") { // sd_booted(3)
		return tune.Systemd
	}
	return otherInit(root, id)
}

// initOfImage goes by what is installed.
func initOfImage(root fs.FS, id string) tune.Init {
	for _, file := range []string{"usr/lib/systemd/systemd-sysctl", "lib/systemd/systemd-sysctl"} {
		if exists(root, file) {
			return tune.Systemd
		}
	}
	return otherInit(root, id)
}

// otherInit: Debian's sysvinit and OpenRC with procps run sysctl --system.
func otherInit(root fs.FS, id string) tune.Init {
	if id == "openwrt" || exists(root, "etc/openwrt_release") {
		return tune.OpenWrtInit
	}
	if exists(root, "etc/init.d/procps") || exists(root, "etc/init.d/sysctl") && exists(root, "sbin/openrc") {
		return tune.ProcpsInit
	}
	return tune.UnknownInit
}

// exists also where a link points out of an image, since links in it are
// absolute as often as not.
func exists(root fs.FS, name string) bool {
	_, err := fs.Lstat(root, name)
	return err == nil
}

// readProc reads what /proc tells of the machine and of this process.
func readProc(f *tune.Facts, root fs.FS) {
	for line := range lines(root, "proc/meminfo") {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err == nil {
				f.System.Memory = kib << 10
			}
		}
	}
	f.Unprivileged = !capable(root)
	f.ReadOnlySysctls = readOnly(root, "/proc/sys/net/ipv4")
	if readOnly(root, "/etc/sysctl.d") {
		f.ReadOnlyEtc = "mounted read-only"
	}
	f.BacklogDrops = backlogDrops(root)
	f.Stack = stacks(root)
}

// apart is false where the first process cannot be looked at.
func apart() bool {
	here, err1 := os.Stat("/etc")
	there, err2 := os.Stat("/proc/" + proc.Init + "/root/etc")
	return err1 == nil && err2 == nil && os.SameFile(here, there) && !proc.InNetnsOfInit()
}

// capNetAdmin is CAP_NET_ADMIN's bit (linux/capability.h).
const capNetAdmin = 12

func capable(root fs.FS) bool {
	for line := range lines(root, "proc/self/status") {
		if rest, ok := strings.CutPrefix(line, "CapEff:"); ok {
			mask, err := strconv.ParseUint(strings.TrimSpace(rest), 16, 64)
			return err == nil && mask>>capNetAdmin&1 == 1
		}
	}
	return false
}

// readOnly says whether a file lies on a mount that is read-only, by
// proc_pid_mountinfo(5): the mount whose place is nearest above it, and of
// several at one place the last.
func readOnly(root fs.FS, name string) bool {
	ro, nearest := false, ""
	for line := range lines(root, "proc/self/mountinfo") {
		words := strings.Fields(line)
		if len(words) < 6 {
			continue
		}
		at := unescape(words[4])
		if name != at && at != "/" && !strings.HasPrefix(name, at+"/") || len(at) < len(nearest) {
			continue
		}
		nearest = at
		ro = has(words[5], "ro")
		if i := strings.LastIndex(line, " - "); i >= 0 && !ro {
			super := strings.Fields(line[i+3:])
			ro = len(super) > 2 && has(super[2], "ro")
		}
	}
	return ro
}

func has(options, word string) bool {
	for o := range strings.SplitSeq(options, ",") {
		if o == word {
			return true
		}
	}
	return false
}

// unescape reads the octal escapes of mountinfo: \040 is a space.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// backlogDrops sums the second column of /proc/net/softnet_stat, a line a
// core.
func backlogDrops(root fs.FS) int64 {
	var sum int64
	for line := range lines(root, "proc/net/softnet_stat") {
		if words := strings.Fields(line); len(words) > 1 {
			n, err := strconv.ParseInt(words[1], 16, 64)
			if err == nil {
				sum += n
			}
		}
	}
	return sum
}

// stacks looks for programs that end TCP connections themselves.
func stacks(root fs.FS) []tune.Stack {
	files, err := fs.Glob(root, "proc/[0-9]*/cmdline")
	if err != nil {
		return nil
	}
	for _, file := range files {
		content, err := fs.ReadFile(root, file)
		if err != nil {
			continue // it has ended
		}
		args := strings.Split(strings.TrimSuffix(string(content), "\x00"), "\x00")
		if path.Base(args[0]) != "tailscaled" {
			continue
		}
		if strings.HasPrefix(proc.Option(args, "tun"), "userspace-networking") {
			return []tune.Stack{{
				Program: "tailscaled",
				What:    "it runs with --tun=userspace-networking, so that connections over Tailscale never meet this kernel's TCP. Run it with a TUN device to have them tuned.",
			}}
		}
		return []tune.Stack{{
			Program: "tailscaled",
			What:    "its SSH server (tailscale up --ssh), where that is on, answers from within the daemon. All other connections over its device are this kernel's.",
		}}
	}
	return nil
}

// lines of a file, none where it cannot be read.
func lines(root fs.FS, name string) iter.Seq[string] {
	content, err := fs.ReadFile(root, name)
	if err != nil {
		return func(func(string) bool) {}
	}
	return strings.Lines(string(content))
}

// readLine is a file's content without its end of line; empty where it cannot
// be read.
func readLine(root fs.FS, name string) string {
	content, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}
