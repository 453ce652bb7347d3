package view

import (
	"testing"

	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// A stream that was measured alone is held by a window that it fills without loss;
// one that loses, or leaves a tenth of the window, is not.
func TestFillsWindow(t *testing.T) {
	v := Of(load(t, "testdata/receive-window--one-stream-far-away.json.gz"), record.Down)
	if !v.Alone() || !v.FillsWindow() {
		t.Fatal(v)
	}
	v.Losses.Resent = 1
	if v.FillsWindow() {
		t.Error("a stream that loses fills its window")
	}
	v.Losses.Resent, v.Limits.InFlight = 0, 0.8*v.Limits.Advertised
	if v.FillsWindow() {
		t.Error("a window with room is full")
	}
}

// A stream that was measured alone is held by a buffer for which its kernel waits; one
// that loses is not, nor is one whose sender nobody saw, unless it has just what
// Linux's default holds under way.
func TestFillsSendBuffer(t *testing.T) {
	v := Of(load(t, "testdata/send-buffer--one-stream-by-satellite.json.gz"), record.Up)
	if !v.Alone() || !v.FillsSendBuffer() {
		t.Fatal(v)
	}
	v.Losses.Resent = 1
	if v.FillsSendBuffer() {
		t.Error("a stream that loses waits for its buffer")
	}
	v.Losses.Resent, v.Limits.Inferred = 0, true
	if v.FillsSendBuffer() {
		t.Error("what was inferred is the kernel's account")
	}
	v = Of(load(t, "testdata/send-buffer--far-default-by-satellite.json.gz"), record.Down)
	if !v.Alone() || !v.Limits.Inferred || !v.FillsSendBuffer() {
		t.Fatal(v)
	}
	v.Rate *= 0.8
	if v.FillsSendBuffer() {
		t.Error("less than the default's half is the default")
	}
	v = Of(load(t, "testdata/send-buffer--level-by-satellite.json.gz"), record.Down)
	if !v.Alone() || !v.Limits.Inferred || !v.FillsSendBuffer() {
		t.Fatal(v)
	}
	v.Rate = 0.6 * v.TrainRate()
	if v.FillsSendBuffer() {
		t.Error("a stream that nearly has its trains' rate waits for a buffer")
	}
}

// Others take nothing from a stream that a window holds and that loses nothing, but by
// the time that packets wait in their queue.
func TestHeldByWindow(t *testing.T) {
	for what, c := range map[string]struct {
		change func(*View)
		want   bool
	}{
		"as it was":                 {func(*View) {}, true},
		"it lost":                   {func(v *View) { v.Losses.Resent = 1 }, false},
		"the window held it half":   {func(v *View) { v.Limits.ReceiveWindow = 0.5 }, false},
		"their queue takes a third": {func(v *View) { v.Loaded.Mid = 1.4 * v.Idle.Mid }, false},
	} {
		v := Of(load(t, "testdata/receive-window--beside-others-who-take-nothing.json.gz"), record.Up)
		c.change(v)
		if _, others := v.Others(); !others || v.HeldByWindow() != c.want {
			t.Errorf("%s: held %v, others %v", what, v.HeldByWindow(), others)
		}
	}
}

// A window that stays below what a tuned buffer announces has stopped growing.
func TestAnnouncedRate(t *testing.T) {
	v := View{Idle: flow.Spread{N: 10, Mid: 0.1}}
	v.Limits.InFlight, v.Limits.Advertised = 100e3, 150e3
	if rate, known := v.AnnouncedRate(); !known || rate != 12e6 {
		t.Errorf("%.0f, %v", rate, known)
	}
	v.Growing = true
	if _, known := v.AnnouncedRate(); known {
		t.Error("the stream grows, and the window may with it")
	}
	v.Growing, v.Limits.Advertised = false, 200e3
	if _, known := v.AnnouncedRate(); known {
		t.Error("a tuned buffer announces twice what is under way")
	}
}

// A stream that had the same rate without a loss at another time is not held by the one
// packet that it lost; a stream that had more then may be.
func TestHeldWithoutLoss(t *testing.T) {
	v := Of(load(t, "testdata/send-buffer--one-loss-beside-a-stream-without.json.gz"), record.Down)
	if v.Losses.Resent != 1 || v.Limits.SendBuffer != 1 || !v.heldWithoutLoss() {
		t.Fatal(v)
	}
	for _, x := range v.lone() {
		x.SteadyRate *= 1.3
	}
	if v.heldWithoutLoss() {
		t.Error("the stream without a loss was faster")
	}
}

// Eight streams that lose packets where one loses none are held by the network: that they
// carry no more than one does not say that what offers the data is slow.
func TestEightThatLoseAreNotStarved(t *testing.T) {
	v := Of(load(t, "testdata/send-buffer--eight-in-what-a-flood-left-in-cake.json.gz"), record.Down)
	if v.shared() || v.Limits.SendBuffer != 1 {
		t.Fatal(v)
	}
	v.Eight.Retransmits = 0
	if !v.shared() {
		t.Error("eight that lose nothing")
	}
}
