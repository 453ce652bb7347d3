// Package ask runs `unchoke check` on a drawn path and reads what it says.
package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"unchoke/internal/finding"
	"unchoke/internal/remote/sshd"
	"unchoke/internal/tools/diagnosis/draw"
	"unchoke/internal/tools/diagnosis/score"
	"unchoke/internal/tools/diagnosis/truth"
)

// checkTimeout is wall time, far above what a check takes on a busy machine.
const checkTimeout = 10 * time.Minute

// Far is what serves on the far host, and how the program is asked for it.
type Far struct {
	Serve  string // command there
	Target string
	Before string // shell command on near, before the check; empty for none
}

// IPerf3 is a stock server.
var IPerf3 = Far{Serve: "iperf3 -s", Target: "far"}

// SSH is a far host that has nothing but an SSH server: unchoke brings itself.
func SSH(s *sshd.Server) (Far, error) {
	serve, err := s.Command()
	if err != nil {
		return Far{}, err
	}
	return Far{
		Serve:  "mkdir -p /run/sshd; exec " + strings.Join(serve, " "), // in the lab's own copy of /run
		Target: s.Target("far"),
		Before: "export PATH=" + s.Bin + ":$PATH; sleep 0.5; ", // until the server listens
	}, nil
}

// Check asks the program, a binary, about a path. What failed stands in the
// answer.
func Check(ctx context.Context, binary string, far Far, d draw.Draw) score.Said {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	// Its own records: the machine sees those of the host, and the host's clock is ahead of its own.
	script := far.Before + fmt.Sprintf("export UNCHOKE_STATE_DIR=/tmp/state; %[1]s check %[3]s --json > /tmp/check; s=$?; cat /tmp/check; echo; echo %[2]s; %[1]s record show last --json; exit $s",
		binary, strings.TrimSpace(truth.Mark), far.Target)
	cmd := exec.CommandContext(ctx, binary, d.Scene.ExecBeside(far.Serve, d.Lab, script)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	start := time.Now()
	err := cmd.Run()
	said := score.Said{Wall: time.Since(start).Seconds()}
	if cmd.ProcessState != nil {
		said.CPU = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	document, kept, _ := strings.Cut(out.String(), truth.Mark)
	var doc struct {
		Verdict  finding.Cause `json:"verdict"`
		Findings []score.Named `json:"findings"`
	}
	if e := json.Unmarshal([]byte(document), &doc); e != nil || doc.Verdict == "" || !json.Valid([]byte(kept)) {
		said.Verdict = score.Failed
		said.Error = fmt.Sprintf("%v: %s", errors.Join(err, e), bytes.TrimSpace(errs.Bytes()))
		return said
	}
	said.Verdict, said.Findings, said.Record = doc.Verdict, doc.Findings, json.RawMessage(kept)
	return said
}
