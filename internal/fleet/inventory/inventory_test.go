package inventory

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const ini = `# a fleet
plain
bob@plain2

[web]
web[01:03].example.net unchoke_link=paris
10.0.0.7:2222

[db]
db-[a:b] ansible_host=192.0.2.1 ansible_become=no

[europe:children]
web
db

[europe:vars]
ansible_user=deploy
ansible_become=yes

[web:vars]
ansible_ssh_common_args='-o ProxyJump=jump.example.net'
ansible_port = 2022
something = "{{ else }}"
`

const yml = `all:
  hosts:
    plain:
    bob@plain2: {}
  children:
    europe:
      vars: {ansible_user: deploy, ansible_become: true}
      children:
        web:
          hosts:
            web[01:03].example.net: &paris {unchoke_link: paris, list: [1, 2]}
            10.0.0.7: {ansible_port: 2222}
          vars:
            ansible_ssh_common_args: -o ProxyJump=jump.example.net
            ansible_port: 2022
            something: "{{ else }}"
        db:
          hosts:
            db-[a:b]:
              ansible_host: 192.0.2.1
              ansible_become: false
              secret: !vault |
                $ANSIBLE_VAULT;1.1;AES256
`

var fleetOfBoth = []Host{
	{Name: "plain", Address: "plain"},
	{Name: "bob@plain2", Address: "plain2", User: "bob"},
	{Name: "web01.example.net", Address: "web01.example.net", User: "deploy", Port: 2022, Groups: []string{"europe", "web"}, SSH: []string{"-o", "ProxyJump=jump.example.net"}, Become: true, Link: "paris"},
	{Name: "web02.example.net", Address: "web02.example.net", User: "deploy", Port: 2022, Groups: []string{"europe", "web"}, SSH: []string{"-o", "ProxyJump=jump.example.net"}, Become: true, Link: "paris"},
	{Name: "web03.example.net", Address: "web03.example.net", User: "deploy", Port: 2022, Groups: []string{"europe", "web"}, SSH: []string{"-o", "ProxyJump=jump.example.net"}, Become: true, Link: "paris"},
	{Name: "10.0.0.7", Address: "10.0.0.7", User: "deploy", Port: 2222, Groups: []string{"europe", "web"}, SSH: []string{"-o", "ProxyJump=jump.example.net"}, Become: true},
	{Name: "db-a", Address: "192.0.2.1", User: "deploy", Groups: []string{"europe", "db"}},
	{Name: "db-b", Address: "192.0.2.1", User: "deploy", Groups: []string{"europe", "db"}},
}

// The same fleet, as INI and as YAML.
func TestParse(t *testing.T) {
	for name, text := range map[string]string{"hosts": ini, "hosts.ini": ini, "hosts.yml": yml, "inventory": "---\n" + yml} {
		got, err := Parse(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for i := range max(len(got), len(fleetOfBoth)) {
			if i >= len(got) || i >= len(fleetOfBoth) || !reflect.DeepEqual(got[i], fleetOfBoth[i]) {
				t.Fatalf("%s, host %d:\n%+v\nwant\n%+v", name, i, got, fleetOfBoth)
			}
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"h", "[web\nx", "h:1: \"[web\" is no [group]"},
		{"h", "x\n-oProxyCommand=sh", "h:2:"},
		{"h", "x ansible_host=-oProxyCommand=sh", "h:1: the address"},
		{"h", "x ansible_host='$(id)'", "h:1: the address"},
		{"h", "x ansible_user='-l'", "h:1: the user"},
		{"h", "x ansible_port=99999", "h:1: the port"},
		{"h", "x ansible_port={{p}}", "is a template"},
		{"h", "x ansible_connection=local", "not by ssh"},
		{"h", "x ansible_become=perhaps", "neither yes nor no"},
		{"h", "x ansible_become=yes ansible_become_method=doas", "sudo is what"},
		{"h", "x ansible_ssh_common_args='-L 80:a:80'", "is none that says"},
		{"h", "x ansible_ssh_common_args='-W'", "is none that says"},
		{"h", "x ansible_ssh_extra_args='-o'", "has no value"},
		{"h", "x 'a", "a quote is not closed"},
		{"h", "x what", "is no NAME=VALUE"},
		{"h", "h[1:99999999]", "more than"},
		{"h", "h[5:1]", "begins after its end"},
		{"h", "h[a:5]", "a letter and a number"},
		{"h", "h[0:9][0:99][0:999]", "more than"},
		{"h", "[a:children]\nb\n[b:children]\na\n", "within itself"},
		{"h", "#!/bin/sh\necho", "it is a program"},
		{"h", "\xff", "not UTF-8"},
		{"h", strings.Repeat("#", MaxFile+1), "longer"},
		{"h.yml", "all: [1]", "h.yml:1: a mapping"},
		{"h.yml", "all:\n  hosst: {}", "h.yml:2: a group has"},
		{"h.yml", "all:\n  hosts:\n    x: {ansible_host: [a]}", "h.yml:3: ansible_host is no plain text"},
		{"h.yml", "all:\n  hosts:\n    x: {ansible_user: !vault abc}", "no plain text"},
		{"h.yml", "a: &a {children: {b: *a}}", "h.yml"},
		{"h.yml", "a: {vars: {<<: {x: y}}}", "merge keys"},
		{"h.yml", "\t- x", "not YAML"},
	} {
		hosts, err := Parse(c.name, []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: %v, %v; want %q", c.text, hosts, err, c.want)
			continue
		}
		if _, ok := errors.AsType[*Error](err); !ok {
			t.Errorf("%.60q: %T", c.text, err)
		}
	}
}

func TestNamed(t *testing.T) {
	for text, want := range map[string]string{
		"web":                          "ssh://web",
		"bob@web":                      "ssh://bob@web",
		"ssh://bob@web:22":             "ssh://bob@web:22",
		"ssh://[2001:db8::1]:22":       "ssh://[2001:db8::1]:22",
		"2001:db8::1":                  "ssh://[2001:db8::1]",
		"ssh://2001:db8::1":            "ssh://[2001:db8::1]",
		"192.0.2.1":                    "ssh://192.0.2.1",
		"ssh://[fe80::1]":              "ssh://[fe80::1]",
		"fe80::1%eth0":                 "ssh://[fe80::1%25eth0]",
		"ssh://[fe80::1%eth0]:22":      "ssh://[fe80::1%25eth0]:22",
		"ssh://me@[fe80::1%25eth0]":    "ssh://me@[fe80::1%25eth0]",
		"fe80::1%25":                   "ssh://[fe80::1%2525]",
		"ssh://deploy@web.example.net": "ssh://deploy@web.example.net",
	} {
		h, err := Named(text)
		if err != nil || h.Target() != want {
			t.Errorf("%s: %v, %v", text, h.Target(), err)
		}
		if err := h.Check(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"", "-x", "@x", "a b", "a;b", "$(x)", "ssh://x:0", "ssh://x:y", "x:22", "a@-b", "-l@b", "a/b", "fe80::1%$(x)", "ssh://[fe80::1%a b]"} {
		if h, err := Named(text); err == nil {
			t.Errorf("%q is %+v", text, h)
		}
	}
}

// What changes a session is refused, however it is spelled; what only says how a host
// is reached is taken, and so is what inventories have for Ansible.
func TestOptionsOfSSH(t *testing.T) {
	for _, text := range []string{
		"-o RemoteCommand=tmux", "-oremotecommand=tmux", "-o 'RemoteCommand tmux'", "-o 'RemoteCommand = tmux'", `-o '"RemoteCommand" tmux'`,
		"-o LocalForward=80:a:80", "-o 'remoteforward 80 a:80'", "-oDynamicForward=1080", "-o PermitLocalCommand=yes", "-o LocalCommand=id",
		"-o SessionType=none", "-o StdinNull=yes", "-o ForkAfterAuthentication=yes", "-o Tunnel=yes", "-o ' RemoteCommand=x'",
	} {
		if got, err := sshOptions(text); err == nil || !strings.Contains(err.Error(), "changes what a session is") {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for text, want := range map[string][]string{
		"-o ControlMaster=auto -o ControlPersist=60s":         {"-o", "ControlMaster=auto", "-o", "ControlPersist=60s"},
		"-o ControlPath=~/.ssh/c-%C -oForwardAgent=yes":       {"-o", "ControlPath=~/.ssh/c-%C", "-o", "ForwardAgent=yes"},
		"-o 'ProxyCommand ssh -W %h:%p -q jump' -F conf":      {"-o", "ProxyCommand ssh -W %h:%p -q jump", "-F", "conf"},
		"-o StrictHostKeyChecking=no -i key -J me@a:22 -C -4": {"-o", "StrictHostKeyChecking=no", "-i", "key", "-J", "me@a:22", "-C", "-4"},
	} {
		if got, err := sshOptions(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}

// Hosts behind one jump host share it, however it is written.
func TestLines(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "",
		"-o ProxyJump=x":                   "jump x",
		"-oproxyjump=x":                    "jump x",
		"-o 'ProxyJump x'":                 "jump x",
		"-o 'PROXYJUMP = x'":               "jump x",
		"-Jx":                              "jump x",
		"-J me@x:2222":                     "jump x",
		"-J ssh://me@x:2222,[2001:db8::1]": "jump x|jump 2001:db8::1",
		"-J a,b":                           "jump a|jump b",
		"-o ProxyJump=none -i ProxyJump=x": "",
	} {
		options, err := sshOptions(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(Host{SSH: options}.Lines(), "|"); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestLimit(t *testing.T) {
	names := func(hosts []Host) (out []string) {
		for _, h := range hosts {
			out = append(out, h.Name)
		}
		return out
	}
	for pattern, want := range map[string]string{
		"db":           "db-a db-b",
		"db,!db-a":     "db-b",
		"!europe":      "plain bob@plain2",
		"web0[12]*":    "web01.example.net web02.example.net",
		"all,!web,!db": "plain bob@plain2",
	} {
		got, err := Limit(fleetOfBoth, pattern)
		if err != nil || strings.Join(names(got), " ") != want {
			t.Errorf("%s: %v, %v", pattern, names(got), err)
		}
	}
	for _, pattern := range []string{"nobody", "db,,", "[", "!"} {
		if got, err := Limit(fleetOfBoth, pattern); err == nil {
			t.Errorf("%s: %v", pattern, names(got))
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("hosts", ini)
	f.Add("hosts.yml", yml)
	f.Add("hosts", "h[a:z][1:3:2] a='b c' # x\n[g:children]\nh")
	f.Add("hosts", "h ansible_host=fe80::1%eth0")
	f.Fuzz(func(t *testing.T, name, text string) {
		hosts, err := Parse(name, []byte(text))
		if err != nil {
			return
		}
		if len(hosts) > MaxHosts {
			t.Fatalf("%d hosts", len(hosts))
		}
		for _, h := range hosts {
			if strings.HasPrefix(h.Address, "-") || strings.HasPrefix(h.User, "-") || strings.ContainsAny(h.Address+h.User, " \t\n;$`'\"|&<>()") {
				t.Fatalf("%+v", h)
			}
			again, err := Named(h.Target())
			if err != nil || again.Address != h.Address || again.User != h.User || again.Port != h.Port {
				t.Fatalf("%+v is %s, which is %+v, %v", h, h.Target(), again, err)
			}
		}
	})
}
