package view

import (
	"testing"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
)

// A stream that has all of what others leave has little of their line.
func TestLine(t *testing.T) {
	v := View{One: &record.Transfer{}, Rate: 60, Capacity: 70, Rungs: []seen.Rung{{Sent: 130, Delivered: 120, Packets: seen.FewPackets, Timed: true}}}
	if rate, left := v.Line(); rate != 120 || left != 0.5 {
		t.Errorf("%.0f, of which it leaves %.2f", rate, left)
	}
	v.Rate = 35
	if rate, left := v.Line(); rate != 70 || left != 0.5 {
		t.Errorf("a slow stream is one by the capacity: %.0f, %.2f", rate, left)
	}
}
