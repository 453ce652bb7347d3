package tune

import (
	"fmt"
	"slices"
	"strings"

	"unchoke/internal/tune/sysctld"
)

// reader is a program that sets sysctls from files.
type reader struct {
	name string
	read func(sysctld.Tree, []string) []sysctld.Assignment
	when string // it does so
}

var (
	systemdSysctl = reader{"systemd-sysctl", sysctld.Systemd, "at boot"}
	procpsAtBoot  = reader{"procps", sysctld.Procps, "at boot"}
	procpsByHand  = reader{"procps", sysctld.Procps, "whenever somebody runs sysctl --system"}
	openWrtInit   = reader{"openwrt", sysctld.OpenWrt, "at boot"}
)

// atBoot is the reader that the init system runs.
func (f *Facts) atBoot() reader {
	switch f.System.Init {
	case ProcpsInit:
		return procpsAtBoot
	case OpenWrtInit:
		return openWrtInit
	}
	return systemdSysctl
}

// readers are all that a conflict is looked for in.
func (f *Facts) readers() []reader {
	if f.System.Init == Systemd || f.System.Init == UnknownInit {
		return []reader{systemdSysctl, procpsByHand}
	}
	return []reader{f.atBoot()}
}

// fresh is the kernel before any reader ran, as far as its values are known.
func (f *Facts) fresh() *sysctld.Kernel {
	values := map[string]string{}
	for _, key := range Keys {
		if _, ok := f.Sysctls[key]; ok || f.Root != "" {
			values[key] = f.byDefault(key)
		}
	}
	k := f.model(values)
	k.LeastRmem = 4096
	return k
}

// otherwise is a kernel that is as likely as fresh: where the two come to
// different values, as where files set a value only in part, nothing can be
// said.
func (f *Facts) otherwise() *sysctld.Kernel {
	k := f.fresh()
	k.LeastRmem = 1
	for file, value := range k.Values {
		if v, ok := triple(value); ok {
			k.Values[file] = fmt.Sprintf("%d %d %d", v[0]+1, v[1]+1, v[2]+1)
		}
	}
	return k
}

// run lets a reader act on a kernel.
func run(r reader, tree sysctld.Tree, k *sysctld.Kernel) (values map[string]string, from map[string]sysctld.Assignment, failed []sysctld.Failure) {
	set, failed := k.Apply(r.read(tree, keyFiles()))
	values, from = map[string]string{}, map[string]sysctld.Assignment{}
	for file, value := range k.Values {
		values[keyOf(file)] = value
	}
	for file, a := range set {
		from[keyOf(file)] = a
	}
	return values, from, failed
}

// afterBoot are the values that files alone decide.
func (f *Facts) afterBoot(tree sysctld.Tree) map[string]string {
	values, from, _ := run(f.atBoot(), tree, f.fresh())
	others, _, _ := run(f.atBoot(), tree, f.otherwise())
	for key := range values {
		if _, set := from[key]; !set || values[key] != others[key] {
			delete(values, key)
		}
	}
	return values
}

// conflicts looks for whoever sets the plan's keys to something else.
func (b *builder) conflicts(lines []setting) {
	f := b.facts
	if b.options.Resolve {
		b.resolve(lines)
	}
	tree := b.plan.tree(f.Boot)
	for _, r := range f.readers() {
		values, from, failed := run(r, tree, f.fresh())
		for _, l := range lines {
			if c, ok := overruled(r, l, values, from, failed); ok {
				b.plan.Conflicts = append(b.plan.Conflicts, c)
			}
		}
	}
	b.tuned(lines)
}

// overruled says whether a reader ends with another value than the line's.
func overruled(r reader, l setting, values map[string]string, from map[string]sysctld.Assignment, failed []sysctld.Failure) (Conflict, bool) {
	value, exists := values[l.key]
	if !exists || value == l.value {
		return Conflict{}, false
	}
	a, ok := from[l.key]
	if !ok {
		// Nothing was set: the plan's own line failed, or none was read.
		for _, fail := range failed {
			if keyOf(fail.Key) == l.key {
				return Conflict{
					Key: l.key, By: r.name, File: fail.File, Line: fail.Line, Value: fail.Value,
					What: fmt.Sprintf("%s sets %s to %q %s; the kernel refuses it (%v), and no error is shown.", place(fail.Assignment), l.key, fail.Value, r.when, fail.Err),
					Next: "correct or remove that line",
				}, true
			}
		}
		return Conflict{}, false
	}
	return Conflict{
		Key: l.key, By: r.name, File: a.File, Line: a.Line, Value: value,
		What: fmt.Sprintf("%s sets %s to %q %s, after %s.", place(a), l.key, value, r.when, SysctlFile),
		Next: resolution(a),
	}, true
}

// place is where a line stands, and by which name the reader came to it.
func place(a sysctld.Assignment) string {
	at := fmt.Sprintf("%s:%d", a.File, a.Line)
	if a.Via != "" {
		at += " (read as " + a.Via + ")"
	}
	return at
}

func resolution(a sysctld.Assignment) string {
	if strings.HasPrefix(a.File, "/etc/") {
		return "remove the line, or plan with --resolve, which turns it into a comment"
	}
	return "put a file of the same name into /etc/sysctl.d, which hides it"
}

// resolve turns the lines that would win over the plan's into comments.
func (b *builder) resolve(lines []setting) {
	f := b.facts
	done := map[string][]int{}
	for range 100 { // one line may hide another
		tree := b.plan.tree(f.Boot)
		found := false
		for _, r := range f.readers() {
			values, from, failed := run(r, tree, f.fresh())
			for _, l := range lines {
				c, ok := overruled(r, l, values, from, failed)
				if ok && strings.HasPrefix(c.File, "/etc/") && c.File != SysctlFile && !slices.Contains(done[c.File], c.Line) && b.disable(c) {
					done[c.File] = append(done[c.File], c.Line)
					found = true
				}
			}
			if found {
				break
			}
		}
		if !found {
			return
		}
	}
}

// disable turns one line of a file below /etc into a comment.
func (b *builder) disable(c Conflict) bool {
	content := b.plan.tree(b.facts.Boot)[c.File].Content
	have, ok := b.facts.Files[c.File]
	if !ok || !editable(c.File) {
		return false
	}
	value, err := Decode[FileValue](&have)
	if err != nil || value.Link != "" {
		return false
	}
	all := strings.SplitAfter(string(content), "\n")
	if c.Line > len(all) {
		return false
	}
	all[c.Line-1] = disabled + all[c.Line-1]
	value.Content = []byte(strings.Join(all, ""))
	why := fmt.Sprintf("line %d would set %s to %q again", c.Line, c.Key, c.Value)
	for i, change := range b.plan.Changes {
		if change.Kind == File && change.Key == c.File {
			b.plan.Changes[i].New = Encode(*value)
			b.plan.Changes[i].Why += "; " + why
			return true
		}
	}
	b.change(File, c.File, Boot, &have, Encode(*value), why)
	return true
}

// tuned says what a profile of tuned(8) would set again.
func (b *builder) tuned(lines []setting) {
	t := b.facts.Tuned
	if t == nil || !t.Active {
		return
	}
	for _, l := range lines {
		i := slices.IndexFunc(t.Settings, func(a sysctld.Assignment) bool { return keyOf(a.Key) == l.key && a.Value != l.value })
		if i < 0 {
			continue
		}
		a := t.Settings[i]
		if t.Reapply {
			// It reads the files again after its profile (reapply_sysctl).
			b.note("tuned", "", "tuned's profile %s sets %s to %q (%s:%d), and then reads %s again, which wins.", t.Profile, l.key, a.Value, a.File, a.Line, SysctlFile)
			continue
		}
		b.plan.Conflicts = append(b.plan.Conflicts, Conflict{
			Key: l.key, By: "tuned", File: a.File, Line: a.Line, Value: a.Value,
			What: fmt.Sprintf("tuned's profile %s sets %s to %q whenever tuned starts (%s:%d).", t.Profile, l.key, a.Value, a.File, a.Line),
			Next: "set reapply_sysctl = 1 in /etc/tuned/tuned-main.conf, or change the profile",
		})
	}
}
