package store

import (
	"encoding/json"
	"fmt"

	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/stats"
)

// Schema is the version of summary.json.
const Schema = "unchoke.lab.run/1"

// Summary is what summary.json holds: what was run on what, how far it came
// and what each cell got. Unlike runs.csv it has figures of this host, its
// times, and so differs from run to run.
type Summary struct {
	Schema  string `json:"schema"`
	Name    string `json:"name"`
	Version string `json:"version"` // of unchoke
	Kernel  Kernel `json:"kernel"`
	Shard   string `json:"shard,omitempty"` // I/N; empty for the whole
	// Complete says that every run is there. Runs are those that are there,
	// PlannedRuns those that the file asks for, of this shard: with until_ci, at
	// most.
	// FailedRuns are those of Runs that lost a connection, or never had one.
	Complete    bool `json:"complete"`
	Runs        int  `json:"runs"`
	PlannedRuns int  `json:"planned_runs"`
	FailedRuns  int  `json:"failed_runs"`
	// VirtualS is the virtual time of the runs done so far, WallS how long this
	// host worked on them and Jobs on how many CPUs; SpeedFactor is VirtualS /
	// WallS.
	VirtualS    float64       `json:"virtual_s"`
	WallS       float64       `json:"wall_s"`
	Jobs        int           `json:"jobs"`
	SpeedFactor float64       `json:"speed_factor"`
	Sweep       string        `json:"sweep"` // the file as resolved, YAML
	Cells       []CellSummary `json:"cells"`
}

// Kernel names the kernel that ran.
type Kernel struct {
	Key     string `json:"key"` // as "unchoke lab kernel info" has it, or the digest of the file
	Version string `json:"version"`
}

// CellSummary is what one cell got: its throughput in bit/s over its
// repetitions.
type CellSummary struct {
	Cell    int               `json:"cell"`
	Sweep   string            `json:"sweep,omitempty"`
	Path    string            `json:"path"`
	Traffic string            `json:"traffic"`
	Arm     string            `json:"arm"`
	Axes    map[string]string `json:"axes"`
	Runs    int               `json:"runs"`
	// FailedRuns are those of Runs that lost a connection, or never had one.
	// They count with what they carried.
	FailedRuns int `json:"failed_runs"`
	// The following are null where there are too few runs to say.
	MeanBPS   *float64 `json:"mean_bps"`
	MedianBPS *float64 `json:"median_bps"`
	CV        *float64 `json:"cv"` // standard deviation / mean
	// LowBPS and HighBPS are the ends of the mean's 95 % interval, Student's t.
	LowBPS  *float64 `json:"low_bps"`
	HighBPS *float64 `json:"high_bps"`
}

// summarize fills in the figures from the throughputs of a cell's runs.
func (c *CellSummary) summarize(throughputs []float64) {
	c.Runs = len(throughputs)
	if c.Runs == 0 {
		return
	}
	mean, median := stats.Mean(throughputs), stats.Median(throughputs)
	c.MeanBPS, c.MedianBPS = &mean, &median
	if c.Runs < 2 {
		return
	}
	if mean > 0 {
		cv := stats.SD(throughputs) / mean
		c.CV = &cv
	}
	interval := stats.MeanInterval(throughputs, grid.Confidence)
	c.LowBPS, c.HighBPS = &interval.Low, &interval.High
}

// readSummary reads a summary.json.
func readSummary(data []byte) (Summary, error) {
	var s Summary
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("read summary: %w", err)
	}
	if s.Schema != Schema {
		return s, fmt.Errorf("read summary: its schema is %q, this unchoke reads %q", s.Schema, Schema)
	}
	return s, nil
}

// Join adds another shard to the summary.
func (s *Summary) Join(other Summary, first, dir string) error {
	for _, c := range []struct{ what, a, b string }{
		{"sweep", s.Sweep, other.Sweep},
		{"kernel", s.Kernel.Key, other.Kernel.Key},
		{"version of unchoke", s.Version, other.Version},
	} {
		if c.a != c.b {
			return fmt.Errorf("%w: %s and %s are not of the same %s", ErrOther, first, dir, c.what)
		}
	}
	s.VirtualS += other.VirtualS
	s.WallS += other.WallS
	s.Jobs = max(s.Jobs, other.Jobs)
	return nil
}
