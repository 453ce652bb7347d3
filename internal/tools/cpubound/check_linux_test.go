package main

import (
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// The leading finding of a direction is its verdict.
func TestParseCheck(t *testing.T) {
	got, err := parseCheck([]byte(`{"findings": [
		{"cause": "cpu-bound", "direction": "up", "confidence": 0.9, "evidence": [{"what": "one stream carries", "value": 1}, {"what": "at 100 % this carries", "value": 5e7}]},
		{"cause": "loss-limited", "direction": "up", "confidence": 0.5},
		{"cause": "healthy", "direction": "down", "confidence": 0.6}]}`))
	if err != nil || got[record.Up] != (verdict{finding.CPUBound, 5e7, 0.9}) || got[record.Down].cause != finding.Healthy {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := parseCheck([]byte("no document")); err == nil {
		t.Error("what is no document is read")
	}
}
