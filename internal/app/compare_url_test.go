//go:build !slim

package app

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"unchoke/internal/app/request"
	"unchoke/internal/compare"
	"unchoke/internal/record"
	"unchoke/internal/state"
)

// The server gets what is secret in a URL, and neither the record nor what is
// told meanwhile has it.
func TestCompareKeepsNoSecrets(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "me" || password != "hunter2" || r.URL.Query().Get("key") != "hunter2" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		for {
			if _, err := io.WriteString(w, strings.Repeat("x", 32<<10)); err != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}))
	defer server.Close()
	defer server.CloseClientConnections()
	target := strings.Replace(server.URL, "//", "//me:hunter2@", 1) + "/file?key=hunter2"
	store := state.Store{Dir: filepath.Join(t.TempDir(), "records")}
	var told strings.Builder
	arms := []record.Arm{{Streams: 1}, {Streams: 2, Target: target}}
	for i := range arms {
		arms[i].Name = compare.FormatArm(arms[i])
	}
	c, _, err := Compare(t.Context(), CompareRequest{
		Request:  request.Request{Target: target, Version: "test", Store: &store},
		Arms:     arms,
		Config:   record.ComparisonConfig{Seed: 1, Blocks: 1, MaxBlocks: compare.DefaultMaxBlocks, Margin: compare.DefaultMargin},
		Duration: time.Second, Omit: 0, Pause: 0,
		Progress: func(_ float64, what string) { told.WriteString(what + "\n") },
	})
	if err != nil {
		t.Fatal(err)
	}
	shown := server.URL + "/file?key=…"
	if c.Target != shown || c.Arms[1].Target != shown || c.Arms[1].Name != "streams=2,target="+shown || c.Arms[1].Direction != record.Down {
		t.Errorf("target %q, arms %+v", c.Target, c.Arms)
	}
	if !strings.Contains(strings.Join(c.Warnings, "\n"), hiddenWarning) {
		t.Errorf("warnings %q do not say what is not recorded", c.Warnings)
	}
	kept, err := store.Load(c.ID)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(kept)
	if err != nil {
		t.Fatal(err)
	}
	if all := string(text) + told.String(); strings.Contains(all, "hunter2") {
		t.Errorf("a secret is kept or told: %s", all)
	}
}
