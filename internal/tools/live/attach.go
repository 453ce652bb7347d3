package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"

	"unchoke/internal/diagnose"
	"unchoke/internal/flow/closely"
	"unchoke/internal/live"
	"unchoke/internal/record"
	"unchoke/internal/tools/diagnosis/draw"
)

// Real transfers that unchoke check --flow looks at.
const (
	nginx      program = "curl from nginx"
	rsync      program = "rsync over ssh"
	video      program = "ffmpeg"          // as fast as it goes
	pacedRsync program = "rsync --bwlimit" // limits itself
	liveVideo  program = "ffmpeg -re"      // sends as fast as it is played
	slowNginx  program = "curl that rests from nginx"
)

// A look begins when the transfer is this old, in seconds, takes as long as it
// does unless told otherwise, after a first short one.
const (
	attachAfter = 4
	attachLasts = attachAfter + 18
)

// transfers are what is drawn from: two thirds carry as much as they can.
var transfers = []program{bulk, nginx, rsync, video, bulk, nginx, rsync, video, paced, pacedRsync, liveVideo, slowNginx}

// transfers says that the program is one of those alone.
func (p program) transfers() bool {
	return slices.Contains([]program{nginx, rsync, video, pacedRsync, liveVideo, slowNginx}, p)
}

// transferring is the job with one of these programs, drawn for the same path.
func (j job) transferring(flow int) job {
	r := rand.New(rand.NewPCG(j.draw.Seed, uint64(flow)<<40+uint64(j.draw.Index)))
	j.program = transfers[r.IntN(len(transfers))]
	return j
}

// transfer is how a program runs: what serves, what asks, and on which port. Each
// runs on the host that is named.
type transfer struct {
	port           int
	server, client string // shell commands
	serves, asks   string // hosts
}

// transfer of the job for so many seconds at least, at a rate in bit/s; 0 is as fast as
// it goes.
func (j job) transfer(rate float64, seconds int) transfer {
	sender, receiver := j.ends()
	runs := j.program
	if limiting[runs] && rate == 0 { // the path carries nothing of which it could take a part
		runs = map[program]program{paced: bulk, pacedRsync: rsync, liveVideo: video, slowNginx: nginx}[runs]
	}
	switch runs {
	case nginx, slowNginx:
		limit := ""
		if runs == slowNginx {
			limit = fmt.Sprintf(" --limit-rate %.0f", rate/8)
		}
		return transfer{
			port: 8080, serves: sender, asks: receiver,
			server: fmt.Sprintf("mkdir -p /tmp/ngx; truncate -s 8G /tmp/ngx/video; printf '%s' > /tmp/ngx.conf; nginx -c /tmp/ngx.conf", nginxConfig),
			client: fmt.Sprintf("curl -s -m %d%s -o /dev/null http://%s:8080/video", seconds+4, limit, sender),
		}
	case rsync, pacedRsync:
		limit := ""
		if runs == pacedRsync {
			limit = fmt.Sprintf(" --bwlimit=%.0f", max(rate/8/1024, 1))
		}
		return transfer{
			port: 2222, serves: receiver, asks: sender,
			server: sshServer,
			client: fmt.Sprintf("truncate -s 8G /tmp/movie; timeout %d rsync -W --inplace --write-devices%s -e 'ssh -p 2222 -i /tmp/ssh.key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null' /tmp/movie %s:/dev/null", seconds+4, limit, receiver),
		}
	case video, liveVideo:
		pace, hertz := "", 2e6
		if runs == liveVideo {
			pace, hertz = "-re ", rate/sampleBits
		}
		return transfer{
			port: 9000, serves: sender, asks: receiver,
			server: fmt.Sprintf("ffmpeg -v error %s-f lavfi -i anullsrc=r=%.0f:cl=stereo -f s16le 'tcp://[::]:9000?listen=1'", pace, max(hertz, 100)),
			client: fmt.Sprintf("timeout %d ffmpeg -v error -f s16le -ar %.0f -ac 2 -i tcp://%s:9000 -c copy -f null -", seconds+4, max(hertz, 100), sender),
		}
	}
	limit, reverse := "", ""
	if runs == paced {
		limit = fmt.Sprintf(" -b %.0f", rate)
	}
	if j.way == draw.Down {
		reverse = " -R"
	}
	return transfer{
		port: 5201, serves: "far", asks: "near", server: "iperf3 -s",
		client: fmt.Sprintf("timeout %d iperf3 -c far -t %d%s%s", seconds+30, seconds, reverse, limit),
	}
}

// sampleBits is what a sample of ffmpeg's sound takes: 16 bits, left and right.
const sampleBits = 32

const nginxConfig = `worker_processes 1; pid /tmp/ngx.pid; error_log /dev/null; daemon off; user root;
events { worker_connections 64; }
http { access_log off; sendfile on; server { listen [::]:8080 ipv6only=off; root /tmp/ngx; } }`

// sshServer lets whoever has the key in, which both hosts do: they share files.
const sshServer = `mkdir -p /run/sshd; rm -f /tmp/ssh.key /tmp/ssh.host; ssh-keygen -q -t ed25519 -N "" -f /tmp/ssh.key; ssh-keygen -q -t ed25519 -N "" -f /tmp/ssh.host; ` +
	`/usr/sbin/sshd -D -f /dev/null -p 2222 -h /tmp/ssh.host -o StrictModes=no -o PermitRootLogin=yes -o AuthorizedKeysFile=/tmp/ssh.key.pub -o UsePAM=no -o PidFile=none`

// on is what a host does: it serves, and asks once there is a file that says so, which
// near makes. The hosts share their files.
func (t transfer) on(host string) string {
	script := ""
	if host == "near" {
		script += "(sleep 1; touch /tmp/go) & "
	}
	if t.serves == host {
		script += fmt.Sprintf("(%s) > /dev/null 2> /tmp/server.log & ", t.server)
	}
	script += "until [ -e /tmp/go ]; do sleep 0.1; done; "
	if t.asks == host {
		script += fmt.Sprintf("(%s) > /dev/null 2> /tmp/client.log & ", t.client)
	}
	return script
}

// attachScripts are the shell commands of both hosts: the transfer, and a look at
// it from either end.
func (j job) attachScripts(unchoke string, rate float64) (near, far string) {
	t := j.transfer(rate, attachLasts)
	of := func(name string) string {
		return t.on(name) + fmt.Sprintf("sleep %d; UNCHOKE_STATE_DIR=/tmp/state.%s %s check --flow 'dport = %d or sport = %d' --json > /dev/null 2> /tmp/check.%s; touch /tmp/done.%s; ",
			attachAfter, name, unchoke, t.port, t.port, name, name)
	}
	show := func(name string) string {
		return fmt.Sprintf("until [ -e /tmp/done.%s ]; do sleep 0.1; done; cat /tmp/state.%s/records/* | base64 -w0; cat /tmp/check.%s >&2; ", name, name, name)
	}
	near = of("near") + show("near") + "echo; echo " + mark + "; " + show("far") + "cat /tmp/client.log /tmp/server.log >&2"
	return near, of("far") + "sleep 300"
}

// needed are the programs that transfer, with the packages that have them.
var needed = [][2]string{{"iperf3", "iperf3"}, {"nginx", "nginx"}, {"curl", "curl"}, {"rsync", "rsync"}, {"ssh", "openssh-client"}, {"sshd", "openssh-server"}, {"ffmpeg", "ffmpeg"}, {"ss", "iproute2"}}

// haveTransfers says what is missing.
func haveTransfers() error {
	var missing []error
	for _, n := range needed {
		_, err := exec.LookPath(n[0])
		if err != nil {
			_, err = exec.LookPath("/usr/sbin/" + n[0])
		}
		if err != nil {
			missing = append(missing, fmt.Errorf("%s is missing: install the package %s", n[0], n[1]))
		}
	}
	return errors.Join(missing...)
}

// attach runs a lab and keeps what both hosts recorded.
func (b *bench) attach(ctx context.Context, args []string, o *outcome) error {
	near, far, err := b.exec(ctx, args)
	if err != nil {
		return fmt.Errorf("look at %s: %w", o.Draw, err)
	}
	ends := []*[]byte{&o.SenderRecord, &o.ReceiverRecord}
	if o.Way == draw.Down {
		ends[0], ends[1] = ends[1], ends[0]
	}
	for i, text := range []string{near, far} {
		if *ends[i], err = base64.StdEncoding.DecodeString(strings.TrimSpace(text)); err != nil {
			return fmt.Errorf("read the record of %s: %w", o.Draw, err)
		}
	}
	return nil
}

// judged is the flow of a record, with the verdict of its diagnosis.
func judged(packed []byte) (*live.Flow, error) {
	run, err := record.Read(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	f := closely.Live(run)
	for _, found := range diagnose.Diagnose(run)[:1] {
		f.Verdict, f.Confidence, f.Summary, f.Evidence = found.Cause, found.Confidence, found.Summary, found.Evidence
	}
	return &f, nil
}
