package livetest

import (
	"context"
	"errors"
	"io"
	"reflect"
	"testing"
)

func TestFlows(t *testing.T) {
	flows := Flows(200, 1)
	ids, verdicts := map[string]bool{}, map[string]bool{}
	for _, f := range flows {
		ids[f.ID], verdicts[string(f.Verdict)] = true, true
	}
	if len(ids) != 200 || len(verdicts) < len(kinds)-2 {
		t.Errorf("%d IDs, verdicts %v", len(ids), verdicts)
	}
	if !reflect.DeepEqual(flows, Flows(200, 1)) || reflect.DeepEqual(flows, Flows(200, 2)) {
		t.Error("a seed does not make the flows")
	}
}

func TestSource(t *testing.T) {
	s := NewSource(1000, 1)
	s.Last = 3
	ctx := context.Background()
	first, err := s.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	kept := first.Flows[0]
	second, err := s.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	closed := 0
	for _, f := range second.Flows {
		if f.Closed {
			closed++
		}
	}
	if closed != 5 || len(second.Flows) != 1005 || !second.Time.After(first.Time) {
		t.Errorf("%d flows, %d closed", len(second.Flows), closed)
	}
	if !reflect.DeepEqual(first.Flows[0], kept) {
		t.Error("a snapshot that was handed over changed")
	}
	if _, err := s.Next(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(ctx); !errors.Is(err, io.EOF) {
		t.Errorf("after the last: %v", err)
	}
}
