package tune

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"unchoke/internal/tune/sysctld"
	"unchoke/internal/unit"
)

// The files that a plan writes. The name sorts after what distributions and
// scripts use, 99-sysctl.conf among them.
const (
	SysctlFile     = "/etc/sysctl.d/99-zz-unchoke.conf"
	ModulesFile    = "/etc/modules-load.d/unchoke.conf"
	modulesOpenWrt = "/etc/modules.d/unchoke"
)

// OwnFiles are all that a plan may make anew.
var OwnFiles = []string{SysctlFile, ModulesFile, modulesOpenWrt}

// Written says whether this program wrote a file of that name: by its first line,
// or on OpenWrt, whose loader takes no comments, by its name.
func (v FileValue) Written(name string) bool {
	return name == modulesOpenWrt && len(v.Content) > 0 || strings.HasPrefix(string(v.Content), header)
}

// Makes says whether a file of this program's makes such a change when a boot
// reads it: by a line of its own, or because the kernel follows one. It lists a
// default congestion control among the allowed, gives devices default_qdisc and
// loads the modules of both.
func (v FileValue) Makes(kind Kind, key string) bool {
	switch {
	case kind == Module:
		return len(v.Content) > 0
	case kind == Qdisc:
		return v.sets(keyQdisc)
	case kind == Sysctl && key == keyAllowed:
		return v.sets(keyAllowed) || v.sets(keyCC)
	}
	return kind == Sysctl && v.sets(key)
}

func (v FileValue) sets(key string) bool {
	for line := range strings.Lines(string(v.Content)) {
		name, _, assigns := strings.Cut(line, "=")
		if assigns && strings.TrimSpace(name) == key {
			return true
		}
	}
	return false
}

const fileMode fs.FileMode = 0o644

const header = "# Written by unchoke tune. Taken back by: unchoke tune revert\n"

// setAtBoot persists what does not hold by itself.
func (b *builder) setAtBoot() {
	if b.facts.Apart {
		b.note("boot", "", "This is not the network namespace of the host's init, for which the files below /etc are read at boot: none is written, and what is changed here lasts as long as this namespace does.")
		return
	}
	if b.needs.bbr != "" {
		b.moduleFile()
	}
	if b.occupied != "" {
		return
	}
	lines := b.kept()
	if len(b.unset(b.facts.Boot, nil)) > 0 {
		tree := b.facts.Boot
		for {
			more := b.unset(tree, lines)
			lines = inOrder(append(more, lines...))
			// The file may hide another of its name in a later directory, and
			// what that one set is to be set here as well.
			tree = tree.With(SysctlFile, sysctld.Node{Kind: sysctld.File, Content: []byte(sysctlContent(lines))})
			if len(more) == 0 {
				break
			}
		}
		b.file(SysctlFile, sysctlContent(lines), "in force after a reboot, by the init system's own reader of sysctls")
	}
	b.conflicts(lines)
}

// unset are the lines that would set what the tree's files do not set as it is
// wanted, but for those that are there already: these are overruled.
func (b *builder) unset(tree sysctld.Tree, lines []setting) []setting {
	after := b.facts.afterBoot(tree)
	var out []setting
	for _, w := range b.wants {
		value, set := after[w.key]
		if !set {
			value = b.facts.byDefault(w.key)
		}
		there := slices.ContainsFunc(lines, func(s setting) bool { return s.key == w.key })
		if w.value(value) != value && !there {
			out = append(out, setting{w.key, w.value(value), w.why})
		}
	}
	return out
}

// kept are the lines that this program's file has already, with the reasons of
// this plan where it still wants them.
func (b *builder) kept() []setting {
	own := b.facts.ownSettings()
	for i, s := range own {
		for _, w := range b.wants {
			switch {
			case w.key != s.key:
			case w.value(s.value) == s.value:
				own[i].why = w.why
			default:
				own[i] = setting{w.key, w.value(s.value), w.why}
			}
		}
	}
	return own
}

// inOrder sorts lines as keys are listed, the first of a key's only.
func inOrder(lines []setting) []setting {
	var out []setting
	for _, key := range Keys {
		if i := slices.IndexFunc(lines, func(s setting) bool { return s.key == key }); i >= 0 {
			out = append(out, lines[i])
		}
	}
	return out
}

// setting is a line of a file of sysctls, with the reason as its comment.
type setting struct{ key, value, why string }

func sysctlContent(lines []setting) string {
	var s strings.Builder
	s.WriteString(header)
	for _, l := range lines {
		if l.why != "" {
			fmt.Fprintf(&s, "# %s\n", oneLine(l.why))
		}
		fmt.Fprintf(&s, "%s = %s\n", l.key, l.value)
	}
	return s.String()
}

// ownSettings are those that this program's file holds by now.
func (f *Facts) ownSettings() []setting {
	content, _, _ := f.Boot.Read(SysctlFile)
	var out []setting
	var why string
	for line := range strings.Lines(string(content)) {
		if line == header {
			continue
		}
		line = strings.TrimSpace(line)
		comment, isComment := strings.CutPrefix(line, "# ")
		key, value, ok := strings.Cut(line, " = ")
		switch {
		case isComment:
			why = comment
		case ok && slices.Contains(Keys, key):
			out = append(out, setting{key, value, why})
			why = ""
		}
	}
	return out
}

// byDefault is the value that a key has at boot where no file sets it, as far
// as that can be told: the present one where it is the kernel's own, else
// something that is not it.
func (f *Facts) byDefault(key string) string {
	have := f.Sysctls[key]
	switch key {
	case keyCC:
		return cmp.Or(f.Kernel.DefaultCC, "cubic")
	case keyAllowed:
		return "reno cubic"
	case keyQdisc:
		return cmp.Or(f.Kernel.DefaultQdisc, "pfifo_fast")
	case keyRmem, keyWmem:
		// tcp_init, net/ipv4/tcp.c: at most these, before 6.16 and since.
		most := int64(4 * unit.MiB)
		if key == keyRmem {
			most = int64(6 * unit.MiB)
			if !f.Kernel.before(6, 16) {
				most = int64(32 * unit.MiB)
			}
		}
		v, ok := triple(have)
		if ok && v[2] <= most {
			return have
		}
		if f.Root != "" {
			v[2] = most
		} else {
			v[2] = min(v[2], int64(4*unit.MiB))
		}
		return fmt.Sprintf("4096 %d %d", map[string]int64{keyRmem: 131072, keyWmem: 16384}[key], v[2])
	case keyBacklog:
		return "1000" // net/core/hotdata.c
	case keyNotsent:
		return "4294967295" // tcp_sk_init, net/ipv4/tcp_ipv4.c
	case keyAfterIdle:
		return "1"
	case keySocketMax, keySocket:
		return "212992" // sock_init_data, net/core/sock.c: 256 packets of 256 bytes
	}
	return "0"
}

// moduleFile has the modules loaded at boot, before the sysctls are set
// (systemd-modules-load.service is ordered before systemd-sysctl.service).
func (b *builder) moduleFile() {
	if b.facts.namespaced() {
		return
	}
	var names []string
	wanted := []string{moduleBBR}
	if b.options.Scope == wholeHost {
		wanted = Wanted
	}
	for _, name := range wanted {
		if b.facts.Kernel.has(name) && !b.facts.Kernel.atBoot(name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	if b.facts.System.Init == OpenWrtInit {
		// Its own packages have theirs loaded by files in the same place.
		b.file(modulesOpenWrt, strings.Join(names, "\n")+"\n", "loaded at boot (kmodloader)")
		return
	}
	b.file(ModulesFile, header+strings.Join(names, "\n")+"\n", "loaded at boot, before sysctls are set")
}

// file writes one of this program's own files, unless it is as it should be.
func (b *builder) file(name, content, why string) {
	var old *string
	value := FileValue{Content: []byte(content), Mode: fileMode}
	if have, ok := b.facts.Files[name]; ok {
		old = &have
		v, err := Decode[FileValue](&have)
		if err == nil && v.Dir {
			b.occupied = name
			return
		}
		if err == nil && v.Link == "" && string(v.Content) == content {
			return
		}
	}
	b.change(File, name, Boot, old, Encode(value), why)
}

// tree is the boot's tree with the plan's files in it.
func (p *Plan) tree(boot sysctld.Tree) sysctld.Tree {
	for _, c := range p.Changes {
		if c.Kind != File || path.Ext(c.Key) != ".conf" || !strings.Contains(c.Key, "sysctl") {
			continue
		}
		v, err := Decode[FileValue](c.New)
		if err == nil && v != nil && v.Link == "" {
			boot = boot.With(c.Key, sysctld.Node{Kind: sysctld.File, Content: v.Content})
		}
	}
	return boot
}
