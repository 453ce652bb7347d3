package preset

import (
	"errors"
	"strings"
	"testing"

	"unchoke/internal/path"
)

func TestPresets(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range All {
		t.Run(p.Name, func(t *testing.T) {
			if seen[p.Name] {
				t.Error("two presets have this name")
			}
			seen[p.Name] = true
			if _, err := path.Parse(p.Path); err != nil {
				t.Error(err)
			}
			if len(p.Arms) < 2 || len(p.Claim.Arms) != len(p.Arms) {
				t.Errorf("%d arms, %d figures", len(p.Arms), len(p.Claim.Arms))
			}
			if p.About == "" || p.Claim.Source == "" || p.Claim.Said == "" || len(p.Assumed) == 0 {
				t.Error("a preset says what it is, whose figures it has, and what it assumes")
			}
			if p.Duration <= p.Omit {
				t.Errorf("of a trial of %v, %v are dropped", p.Duration, p.Omit)
			}
			for _, f := range p.Claim.Arms {
				if f.Rate.Low > f.Rate.High || f.Ratio.Low > f.Ratio.High {
					t.Errorf("a range is upside down: %+v", f)
				}
			}
		})
	}
}

func TestFind(t *testing.T) {
	p, err := Find("cellular")
	if err != nil || p.Name != "cellular" || p.LabPath().RTT() == 0 {
		t.Errorf("cellular is %+v, %v", p, err)
	}
	_, err = Find("celular")
	unknown, ok := errors.AsType[*UnknownError](err)
	if !ok || !strings.Contains(unknown.Hint(), "cellular") {
		t.Errorf("an unknown preset's error is %v", err)
	}
}
