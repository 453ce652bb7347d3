//go:build !slim

package app

import (
	"errors"
	"reflect"
	"testing"

	"unchoke/internal/app/request"
	"unchoke/internal/record"
)

// A comparison logs in to one host, before anything is sent.
func TestComparesOverOneLogin(t *testing.T) {
	q := CompareRequest{Request: request.Request{Target: "ssh://a"}, Arms: []record.Arm{{}, {Target: "ssh://b"}}}
	if _, err := q.openFar(t.Context()); !errors.As(err, new(*request.Error)) {
		t.Errorf("two hosts: %v", err)
	}
	q = CompareRequest{Request: request.Request{Target: "far"}, Arms: []record.Arm{{}, {Target: "10.0.0.2"}}}
	if there, err := q.openFar(t.Context()); err != nil || there.far != nil {
		t.Errorf("no host over SSH: %+v, %v", there, err)
	}
	q.Config.Neighbor = &record.Arm{Target: "ssh://c"}
	if got := q.targets(); !reflect.DeepEqual(got, []string{"far", "10.0.0.2", "ssh://c"}) {
		t.Errorf("targets %q", got)
	}
}
