package main

import (
	"bytes"
	"encoding/json"
	"testing"

	usecase "unchoke/internal/app"
	"unchoke/internal/record"
	"unchoke/internal/remote/sshtest"
)

// A host that has nothing but sshd is checked from both ends, and keeps nothing.
func TestCheckOverSSH(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	t.Setenv("UNCHOKE_STATE_DIR", t.TempDir())
	server := sshtest.Start(t, sshtest.Options{})
	var out, said bytes.Buffer
	status := run(t.Context(), []string{"check", server.Target(), "--quick", "--no-predict", "--json"}, nil, &out, &said)
	if status != 0 {
		t.Fatalf("status %d: %s", status, &said)
	}
	var doc struct {
		Target  string
		Verdict string
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Target != server.Target() || doc.Verdict == "" {
		t.Errorf("target %q, verdict %q", doc.Target, doc.Verdict)
	}
	kept, err := usecase.NewestCheck(server.Target() + "/")
	if err != nil {
		t.Fatal(err)
	}
	if far := kept.Far; far.Access != server.Target() || far.Runs != record.Delivered || far.Reached != record.ReachedDirect {
		t.Errorf("far: %+v", far)
	}
}
