package score

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/tools/diagnosis/draw"
)

// Diagnosis turns a record into findings.
type Diagnosis func(*record.Run) []finding.Finding

// Replay diagnoses the records of earlier checks again; with a nil diagnosis
// they stay as they were, as does a check that left no record. A path that was
// not checked yet is left out.
func (d Dir) Replay(diagnose Diagnosis) ([]Outcome, error) {
	names, err := d.Names()
	if err != nil {
		return nil, err
	}
	var out []Outcome
	for _, name := range names {
		known, err := d.LoadKnown(name)
		if err != nil {
			return nil, err
		}
		said, err := d.LoadSaid(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if diagnose != nil && said.Record != nil {
			if said, err = said.Again(diagnose); err != nil {
				return nil, fmt.Errorf("diagnose %s again: %w", name, err)
			}
		}
		out = append(out, Outcome{Known: known, Said: said})
	}
	return out, nil
}

// Again is what is said of the same record by a diagnosis.
func (s Said) Again(diagnose Diagnosis) (Said, error) {
	run, err := record.Read(bytes.NewReader(s.Record))
	if err != nil {
		return s, err
	}
	findings := diagnose(run)
	s.Verdict, s.Findings, s.Error = finding.Verdict(findings), nil, ""
	for _, f := range findings {
		s.Findings = append(s.Findings, Named{Cause: f.Cause, Direction: draw.Direction(f.Direction), Confidence: f.Confidence})
	}
	return s, nil
}
