// Package sshd runs a real OpenSSH server with keys and configuration of its
// own, and an ssh that trusts it, for tests and benches. It touches nothing of
// the host's own SSH.
package sshd

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
)

// Options of a server.
type Options struct {
	Port int
	// Address to listen on; empty is every one.
	Address string
	// Lines are further lines of sshd_config, and ClientLines of ssh_config,
	// which come first: ssh takes the first value that it finds.
	Lines, ClientLines []string
	// Env are assignments for what runs on the server, beside HOME and
	// XDG_RUNTIME_DIR, which are the server's directory: without the start-up files
	// of whoever runs it.
	Env []string
}

// Server is what a server and its clients need, in files.
type Server struct {
	Dir    string
	Config string // of sshd
	// Bin holds an ssh that uses the configuration here: put it in front of PATH.
	Bin  string
	User string
	Options
}

// ErrNone says that a program of OpenSSH is missing.
var ErrNone = errors.New("needs sshd, ssh and ssh-keygen: apt-get install openssh-server")

// Program finds a program of OpenSSH. A user's PATH may leave out where sshd is.
func Program(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	for _, dir := range []string{"/usr/sbin", "/usr/local/sbin", "/sbin"} {
		if path := filepath.Join(dir, name); executable(path) {
			return path, nil
		}
	}
	return "", ErrNone
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&0o111 != 0
}

// New writes keys and configuration into a directory. It starts nothing.
func New(dir string, o Options) (*Server, error) {
	me, err := user.Current()
	if err != nil {
		return nil, err
	}
	s := &Server{Dir: dir, Config: filepath.Join(dir, "sshd_config"), Bin: filepath.Join(dir, "bin"), User: me.Username, Options: o}
	for _, program := range []string{"sshd", "ssh", "ssh-keygen"} {
		if _, err := Program(program); err != nil {
			return nil, err
		}
	}
	for _, key := range []string{"host", "user", "other"} {
		if err := keygen(filepath.Join(dir, key)); err != nil {
			return nil, err
		}
	}
	return s, s.write()
}

func keygen(file string) error {
	program, err := Program("ssh-keygen")
	if err != nil {
		return err
	}
	if out, err := exec.Command(program, "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", file).CombinedOutput(); err != nil {
		return fmt.Errorf("ssh-keygen: %w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

// write writes what configuration the options ask for.
func (s *Server) write() error {
	file := func(name string) string { return filepath.Join(s.Dir, name) }
	hostKey, err := os.ReadFile(file("host.pub"))
	if err != nil {
		return err
	}
	userKey, err := os.ReadFile(file("user.pub"))
	if err != nil {
		return err
	}
	ssh, err := Program("ssh")
	if err != nil {
		return err
	}
	listen := ""
	if s.Address != "" {
		listen = "ListenAddress " + s.Address
	}
	env := append(s.Env, "HOME="+s.Dir, "XDG_RUNTIME_DIR="+s.Dir)
	if race, set := os.LookupEnv("GORACE"); set { // how long programs with the race detector take to end
		env = append(env, "GORACE="+race)
	}
	server := append(s.Lines, // the first value holds

		fmt.Sprintf("Port %d", s.Port), listen, "HostKey "+file("host"), "AuthorizedKeysFile "+file("authorized_keys"),
		"PidFile none", "StrictModes no", "UsePAM no", "PasswordAuthentication no", "KbdInteractiveAuthentication no",
		"PermitRootLogin yes", "PrintMotd no",
		"SetEnv "+strings.Join(env, " "),
		"UseDNS no", "MaxStartups 100",
	)
	// The port is a part of a known host's name: %s in known_hosts is every one.
	client := append(s.ClientLines,
		"IdentityFile "+file("user"), "IdentitiesOnly yes", "IdentityAgent none", "UserKnownHostsFile "+file("known_hosts"),
		"GlobalKnownHostsFile /dev/null", "UpdateHostKeys no", "CheckHostIP no", "StrictHostKeyChecking yes",
	)
	for name, text := range map[string]string{
		"sshd_config":     strings.Join(server, "\n") + "\n",
		"ssh_config":      strings.Join(client, "\n") + "\n",
		"authorized_keys": string(userKey),
		"known_hosts":     "* " + string(hostKey),
	} {
		if err := os.WriteFile(file(name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(s.Bin, 0o700); err != nil {
		return err
	}
	wrapper := fmt.Sprintf("#!/bin/sh\nexec %s -F %s \"$@\"\n", ssh, file("ssh_config"))
	return os.WriteFile(filepath.Join(s.Bin, "ssh"), []byte(wrapper), 0o700)
}

// Command is the server in the foreground. As root it needs /run/sshd.
func (s *Server) Command() ([]string, error) {
	sshd, err := Program("sshd")
	if err != nil {
		return nil, err
	}
	return []string{sshd, "-D", "-e", "-f", s.Config}, nil
}

// Target is the server's on a host, as unchoke takes it.
func (s *Server) Target(host string) string {
	return fmt.Sprintf("ssh://%s@%s:%d", s.User, host, s.Port)
}
