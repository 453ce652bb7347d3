package store

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/path"
)

// column is one of those that every runs.csv has.
type column struct {
	name string
	text func(*grid.Row) string
	read func(*grid.Row, string) error
}

// identity are the columns before a file's axes, figures those after them.
var (
	identity = []column{
		integerColumn("cell", func(r *grid.Row) *int { return &r.Cell }),
		integerColumn("repetition", func(r *grid.Row) *int { return &r.Repetition }),
		{
			"seed",
			func(r *grid.Row) string { return strconv.FormatUint(r.Seed, 10) },
			func(r *grid.Row, v string) (err error) { r.Seed, err = strconv.ParseUint(v, 10, 64); return err },
		},
	}
	figures = []column{
		{
			"path",
			func(r *grid.Row) string { return r.Path.String() },
			func(r *grid.Row, v string) (err error) { r.Path, err = path.Parse(v); return err },
		},
		{
			"traffic",
			func(r *grid.Row) string { return grid.TrafficText(r.Traffic) },
			func(r *grid.Row, v string) (err error) { r.Traffic, err = grid.ParseTraffic(v); return err },
		},
		{
			"arm",
			func(r *grid.Row) string { return r.Arm.String() },
			func(r *grid.Row, v string) (err error) { r.Arm, err = grid.ParseArm(v); return err },
		},
		floatColumn("throughput_bps", func(r *grid.Row) *float64 { return &r.Throughput }),
		integerColumn("bytes", func(r *grid.Row) *int64 { return &r.Bytes }),
		secondsColumn("elapsed_s", func(r *grid.Row) *time.Duration { return &r.Elapsed }),
		integerColumn("segments", func(r *grid.Row) *int64 { return &r.Segments }),
		integerColumn("retransmits", func(r *grid.Row) *int64 { return &r.Retransmits }),
		integerColumn("spurious", func(r *grid.Row) *int64 { return &r.Spurious }),
		integerColumn("reordering_events", func(r *grid.Row) *int64 { return &r.Reordering }),
		integerColumn("timeouts", func(r *grid.Row) *int64 { return &r.Timeouts }),
		secondsColumn("min_rtt_s", func(r *grid.Row) *time.Duration { return &r.MinRTT }),
		secondsColumn("mean_rtt_s", func(r *grid.Row) *time.Duration { return &r.MeanRTT }),
		secondsColumn("p95_rtt_s", func(r *grid.Row) *time.Duration { return &r.P95RTT }),
		floatColumn("mean_cwnd_segments", func(r *grid.Row) *float64 { return &r.MeanCwnd }),
		floatColumn("min_cwnd_segments", func(r *grid.Row) *float64 { return &r.MinCwnd }),
		floatColumn("max_cwnd_segments", func(r *grid.Row) *float64 { return &r.MaxCwnd }),
		secondsColumn("gap_p50_s", func(r *grid.Row) *time.Duration { return &r.GapP50 }),
		secondsColumn("gap_p99_s", func(r *grid.Row) *time.Duration { return &r.GapP99 }),
		secondsColumn("gap_max_s", func(r *grid.Row) *time.Duration { return &r.GapMax }),
		secondsColumn("stalled_s", func(r *grid.Row) *time.Duration { return &r.Stalled }),
		{
			"cc",
			func(r *grid.Row) string { return r.CC },
			func(r *grid.Row, v string) error { r.CC = v; return nil },
		},
		floatColumn("neighbor_throughput_bps", func(r *grid.Row) *float64 { return &r.NeighborThroughput }),
		{
			failedColumn,
			func(r *grid.Row) string { return r.Failed },
			func(r *grid.Row, v string) error { r.Failed = v; return nil },
		},
	}
)

// failedColumn is the last one. Files from before it was added do not have it.
const failedColumn = "failed"

func integerColumn[T int | int64](name string, field func(*grid.Row) *T) column {
	return column{
		name,
		func(r *grid.Row) string { return strconv.FormatInt(int64(*field(r)), 10) },
		func(r *grid.Row, v string) error {
			n, err := strconv.ParseInt(v, 10, 64)
			if err == nil && n < 0 {
				err = errors.New("negative")
			}
			*field(r) = T(n)
			return err
		},
	}
}

// floatColumn prints as few digits as give the same value back.
func floatColumn(name string, field func(*grid.Row) *float64) column {
	return column{
		name,
		func(r *grid.Row) string { return strconv.FormatFloat(*field(r), 'f', -1, 64) },
		func(r *grid.Row, v string) (err error) { *field(r), err = strconv.ParseFloat(v, 64); return err },
	}
}

func secondsColumn(name string, field func(*grid.Row) *time.Duration) column {
	return column{
		name,
		func(r *grid.Row) string { return seconds(*field(r)) },
		func(r *grid.Row, v string) (err error) { *field(r), err = parseSeconds(v); return err },
	}
}

// seconds prints a duration exactly, as a decimal number.
func seconds(d time.Duration) string {
	s := fmt.Sprintf("%d.%09d", d/time.Second, d%time.Second)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// parseSeconds reads what seconds wrote.
func parseSeconds(v string) (time.Duration, error) {
	whole, part, _ := strings.Cut(v, ".")
	if len(part) > 9 {
		return 0, fmt.Errorf("%q has more than nine decimals", v)
	}
	s, err := strconv.ParseUint(whole, 10, 32)
	if err != nil {
		return 0, err
	}
	ns, err := strconv.ParseUint(part+"000000000"[len(part):], 10, 32)
	return time.Duration(s)*time.Second + time.Duration(ns), err
}

// header is the first line of a runs.csv with these axes.
func header(axes []string) []string {
	var out []string
	for _, c := range identity {
		out = append(out, c.name)
	}
	out = append(out, axes...)
	for _, c := range figures {
		out = append(out, c.name)
	}
	return out
}

// record is a row's line; axes are its cell's values of the axes.
func record(r grid.Row, axes []string) []string {
	var out []string
	for _, c := range identity {
		out = append(out, c.text(&r))
	}
	out = append(out, axes...)
	for _, c := range figures {
		out = append(out, c.text(&r))
	}
	return out
}

// line is a record as CSV, with its end of line.
func line(record []string) ([]byte, error) {
	var b strings.Builder
	w := csv.NewWriter(&b)
	if err := w.Write(record); err != nil {
		return nil, err
	}
	w.Flush()
	return []byte(b.String()), w.Error()
}

// rowReader reads the lines of a runs.csv. A path, a traffic and an arm stand
// in many lines, so it parses each text once.
type rowReader struct {
	csv     *csv.Reader
	columns []column // by position; without a read where the column is an axis
	sweep   int      // position of sweepColumn, -1 where there is none
	known   map[string]grid.Row
}

// newRowReader reads the header.
func newRowReader(r io.Reader) (*rowReader, error) {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	names, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the header is missing")
	}
	if err != nil {
		return nil, err
	}
	out := &rowReader{csv: in, sweep: slices.Index(names, grid.SweepColumn), known: map[string]grid.Row{}}
	figures := figures
	if len(names) > 0 && names[len(names)-1] != failedColumn {
		figures = figures[:len(figures)-1]
	}
	n := len(names)
	if n < len(identity)+len(figures) {
		return nil, fmt.Errorf("the header has %d columns of at least %d", n, len(identity)+len(figures))
	}
	axes := n - len(identity) - len(figures)
	out.columns = slices.Concat(identity, make([]column, axes), figures)
	for i, c := range out.columns {
		if c.read != nil && c.name != names[i] {
			return nil, fmt.Errorf("column %d is %q where %q belongs", i+1, names[i], c.name)
		}
	}
	return out, nil
}

// next is the next row, or io.EOF.
func (r *rowReader) next() (grid.Row, error) {
	record, err := r.csv.Read()
	if err != nil {
		return grid.Row{}, err
	}
	var row grid.Row
	for i, c := range r.columns {
		if c.read == nil {
			continue
		}
		if err := r.read(&row, c, record[i]); err != nil {
			line, _ := r.csv.FieldPos(i)
			return grid.Row{}, fmt.Errorf("line %d: %s: %w", line, c.name, err)
		}
	}
	if r.sweep >= 0 {
		row.Sweep = strings.Clone(record[r.sweep])
	}
	return row, nil
}

func (r *rowReader) read(row *grid.Row, c column, v string) error {
	if c.name != "path" && c.name != "traffic" && c.name != "arm" {
		return c.read(row, strings.Clone(v))
	}
	id := c.name + " " + v
	from, ok := r.known[id]
	if !ok {
		if err := c.read(&from, v); err != nil {
			return err
		}
		r.known[id] = from
	}
	switch c.name {
	case "path":
		row.Path = from.Path
	case "traffic":
		row.Traffic = from.Traffic
	case "arm":
		row.Arm = from.Arm
	}
	return nil
}

// ReadRows reads a whole runs.csv.
func ReadRows(r io.Reader) ([]grid.Row, error) {
	in, err := newRowReader(r)
	if err != nil {
		return nil, fmt.Errorf("read runs: %w", err)
	}
	var rows []grid.Row
	for {
		row, err := in.next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read runs: %w", err)
		}
		rows = append(rows, row)
	}
}
