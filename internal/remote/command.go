//go:build !slim

package remote

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// ssh makes a command of the user's ssh, with options that hold whatever the
// user's configuration says: nothing is forwarded, nothing is run here. The
// terminal's ^C does not end it.
func (t Target) ssh(o Options, control string, more ...string) *exec.Cmd {
	args := []string{
		"-T", "-e", "none", "-o", "ForwardAgent=no", "-o", "ForwardX11=no", "-o", "ClearAllForwardings=yes",
		"-o", "PermitLocalCommand=no", "-o", "ControlPersist=no", "-o", "Tunnel=no",
	}
	if control != "" {
		args = append(args, "-o", "ControlPath="+strings.ReplaceAll(control, "%", "%%"))
	} else {
		args = append(args, "-o", "ControlMaster=no", "-o", "ControlPath=none")
	}
	if o.Batch || !terminal() {
		args = append(args, "-o", "BatchMode=yes")
	}
	args = append(args, more...)
	args = append(args, o.Arguments...)
	if t.User != "" {
		args = append(args, "-l", t.User)
	}
	if t.Port != 0 {
		args = append(args, "-p", strconv.Itoa(int(t.Port)))
	}
	cmd := undisturbed("ssh", append(args, "--", t.Host)...)
	// Messages are read: not in the user's language.
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	return cmd
}

// config is what ssh's configuration says of the host.
type config struct {
	hostname string
	jumps    bool     // the way leads over other hosts, or a program
	timeout  bool     // the user has set ConnectTimeout
	held     []string // options that set back what the configuration makes of a session
}

// usual is what a session needs of the options that a configuration may change.
// Only those that it changes are set back, because an older ssh refuses options
// that it does not know. IgnoreUnknown is no way: it would replace the user's own.
var usual = map[string]string{
	"remotecommand":           "RemoteCommand=none",
	"sessiontype":             "SessionType=default",
	"stdinnull":               "StdinNull=no",
	"forkafterauthentication": "ForkAfterAuthentication=no",
}

// holds is the option that sets a line of the configuration back, if it needs one.
func holds(key, value string) (option string, needed bool) {
	option, known := usual[key]
	_, same, _ := strings.Cut(option, "=")
	return option, known && value != same
}

// readConfig asks ssh for its configuration. It connects nowhere.
func (t Target) readConfig(ctx context.Context, arguments []string) (config, error) {
	cmd := t.ssh(Options{Batch: true, Arguments: arguments}, "", "-G")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := output(ctx, cmd)
	if err != nil {
		lines := strings.Split(said.String(), "\n")
		e := explain(t, lines, statusSSH)
		e.cause = err
		return config{}, e
	}
	return parseConfig(string(out)), nil
}

func output(ctx context.Context, cmd *exec.Cmd) ([]byte, error) {
	bounded := exec.CommandContext(ctx, cmd.Path, cmd.Args[1:]...)
	bounded.Env, bounded.Stderr = cmd.Env, cmd.Stderr
	return bounded.Output()
}

func parseConfig(text string) config {
	var c config
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch key {
		case "hostname":
			c.hostname = value
		case "proxyjump", "proxycommand":
			c.jumps = c.jumps || value != "none" && value != ""
		case "connecttimeout":
			c.timeout = value != "none" && value != "0"
		}
		if option, needed := holds(key, value); needed {
			c.held = append(c.held, "-o", option)
		}
	}
	return c
}

// needSSH says where there is no ssh.
func needSSH(t Target) error {
	if _, err := exec.LookPath("ssh"); err != nil {
		return &Error{
			Target: t, what: "there is no ssh on this host", cause: err,
			hint: "install OpenSSH's client (openssh-client), or check a host on which `iperf3 -s` runs",
		}
	}
	return nil
}

// bootstrap is the command that runs far.sh: it reads so many bytes of a script
// and no more. No character of it means something to any login shell that
// hands words on: sh, csh, fish.
func bootstrap(bytes int) string {
	return fmt.Sprintf(`sh -c 'eval "$(dd bs=1 count=%d 2>/dev/null)"'`, bytes)
}
