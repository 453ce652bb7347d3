package inventory

import (
	"slices"
	"strings"
)

// Variables that say how a host is reached, Ansible's newer names first.
var (
	hostVars     = []string{"ansible_host", "ansible_ssh_host"}
	portVars     = []string{"ansible_port", "ansible_ssh_port"}
	userVars     = []string{"ansible_user", "ansible_ssh_user"}
	keyVars      = []string{"ansible_private_key_file", "ansible_ssh_private_key_file"}
	argumentVars = []string{"ansible_ssh_common_args", "ansible_ssh_extra_args"}
	becomeVars   = []string{"ansible_become", "ansible_sudo"}
	methodVars   = []string{"ansible_become_method"}
	otherVars    = []string{"ansible_connection"}
	// linkVars is ours: the line that hosts share.
	linkVars = []string{"unchoke_link"}
)

var matter = slices.Concat(hostVars, portVars, userVars, keyVars, argumentVars, becomeVars, methodVars, otherVars, linkVars)

// host makes one of a name and the variables that hold for it.
func (t *tree) host(name string, line int, v vars) (Host, error) {
	get := func(names []string) value {
		for _, n := range names {
			if found, ok := v[n]; ok {
				return found
			}
		}
		return value{line: line}
	}
	for _, n := range matter {
		if found, ok := v[n]; ok && strings.Contains(found.text, "{{") {
			return Host{}, t.errorf(found.line, "%s of %s is a template, which only Ansible can fill in", n, name)
		}
	}
	h, err := Named(name)
	if err != nil {
		return h, t.errorf(line, "%v", err)
	}
	h.Name = name
	if a := get(hostVars); a.text != "" {
		if !validName(a.text) {
			return h, t.errorf(a.line, "the address %.80q of %s is none", a.text, name)
		}
		h.Address = a.text
	}
	if u := get(userVars); u.text != "" {
		if !validUser(u.text) {
			return h, t.errorf(u.line, "the user %.80q of %s is none", u.text, name)
		}
		h.User = u.text
	}
	if p := get(portVars); p.text != "" {
		if h.Port, err = parsePort(p.text); err != nil {
			return h, t.errorf(p.line, "the port of %s: %v", name, err)
		}
	}
	if c := get(otherVars); c.text != "" && !slices.Contains([]string{"ssh", "smart", "paramiko", "ansible.builtin.ssh"}, c.text) {
		return h, t.errorf(c.line, "%s is reached by %.40q, not by ssh", name, c.text)
	}
	become := get(becomeVars)
	switch strings.ToLower(become.text) {
	case "yes", "true", "on", "1", "y", "t":
		h.Become = true
	case "", "no", "false", "off", "0", "n", "f":
	default:
		return h, t.errorf(become.line, "become of %s is neither yes nor no: %.40q", name, become.text)
	}
	if m := get(methodVars); h.Become && m.text != "" && m.text != "sudo" && m.text != "ansible.builtin.sudo" {
		return h, t.errorf(m.line, "%s becomes root by %.40q; sudo is what unchoke uses", name, m.text)
	}
	h.Link = get(linkVars).text
	if k := get(keyVars); k.text != "" {
		h.SSH = append(h.SSH, "-i", k.text)
	}
	for _, n := range argumentVars {
		found, ok := v[n]
		if !ok {
			continue
		}
		options, err := sshOptions(found.text)
		if err != nil {
			return h, t.errorf(found.line, "%s of %s: %v", n, name, err)
		}
		h.SSH = append(h.SSH, options...)
	}
	return h, nil
}
