// Package reference holds the measurements of "The Jitter Cliff: When TCP Goes
// Chaotic", run by run where they are known and as printed where not, so that
// the lab can be compared with them. README.md beside it says where they come
// from and how they were made.
package reference

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"unchoke/internal/path"
	"unchoke/internal/unit"
)

// Run is one measured transfer.
type Run struct {
	Path        path.Path
	CC          string
	Rate        unit.BitRate // offered by the sender
	Duration    time.Duration
	Throughput  float64 // bit/s
	Retransmits int64
	DupAcks     int64
}

// Published is a figure of the article's text: a mean over runs of both sender
// rates, rounded as printed.
type Published struct {
	Where      string // the part of the article
	Path       path.Path
	CC         string
	Throughput float64 // bit/s
	Resolution float64 // bit/s: the last digit printed
	CV         float64 // -1 where the article has none
}

// Cliff is the jitter at which the article places a curve's cliff: the first
// of its grid, 4 ms apart, with less than half of the jitter-free throughput.
type Cliff struct {
	RTT   time.Duration
	CC    string
	Ratio float64 // jitter over RTT
}

// Cliffs is the article's table.
var Cliffs = []Cliff{
	{24 * time.Millisecond, "cubic", 8.0 / 24},
	{24 * time.Millisecond, "bbr", 4.0 / 24},
	{50 * time.Millisecond, "cubic", 12.0 / 50},
	{50 * time.Millisecond, "bbr", 8.0 / 50},
	{100 * time.Millisecond, "cubic", 16.0 / 100},
	{100 * time.Millisecond, "bbr", 16.0 / 100},
}

var (
	//go:embed jitter-cliff.csv
	jitterCSV string
	//go:embed loss-tolerance.csv
	lossCSV string
	//go:embed published.csv
	publishedCSV string
)

// Jitter, Loss and Text are the three sets. They are read once; callers share
// them and must not change them.
var (
	Jitter = sync.OnceValue(func() []Run { return must(readRuns(strings.NewReader(jitterCSV))) })
	Loss   = sync.OnceValue(func() []Run { return must(readRuns(strings.NewReader(lossCSV))) })
	Text   = sync.OnceValue(func() []Published { return must(readPublished(strings.NewReader(publishedCSV))) })
)

// must is for files that are part of the program and that its tests read.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// kibibyte is KiB/s in bit/s.
const kibibyte = 8 << 10

// articleMbps is the article's Mbps, KiB/s times 8/1000, in bit/s.
const articleMbps = kibibyte * 1000 / 8

// readRuns reads delay_ms, jitter_ms, loss_pct, congestion_control,
// send_rate_mib_s, duration_s, throughput_kib_s, retransmits, dup_acks.
func readRuns(r io.Reader) ([]Run, error) {
	var runs []Run
	err := eachLine(r, 9, func(f fields) error {
		delay, jitter, loss := f.number(0), f.number(1), f.number(2)
		text := fmt.Sprintf("rtt=%gms", 2*delay)
		if jitter > 0 {
			text += fmt.Sprintf(",jitter=%gms,order=free", jitter)
		}
		if loss > 0 {
			text += fmt.Sprintf(",loss=%g%%", loss)
		}
		runs = append(runs, Run{
			Path: f.path(text), CC: f.text[3],
			Rate:       unit.BitRate(f.number(4) * 8 * float64(unit.MiB)),
			Duration:   time.Duration(f.number(5) * float64(time.Second)),
			Throughput: f.number(6) * kibibyte, Retransmits: int64(f.number(7)), DupAcks: int64(f.number(8)),
		})
		return *f.err
	})
	return runs, err
}

// readPublished reads where, path, cc, mbit_s, resolution_mbit_s, cv_ratio.
func readPublished(r io.Reader) ([]Published, error) {
	var all []Published
	err := eachLine(r, 6, func(f fields) error {
		p := Published{
			Where: f.text[0], Path: f.path(f.text[1]), CC: f.text[2],
			Throughput: f.number(3) * articleMbps, Resolution: f.number(4) * articleMbps, CV: -1,
		}
		if f.text[5] != "" {
			p.CV = f.number(5)
		}
		all = append(all, p)
		return *f.err
	})
	return all, err
}

// fields are a line's; the first that cannot be read is in err.
type fields struct {
	text []string
	err  *error
}

func (f fields) note(err error) {
	if *f.err == nil {
		*f.err = err
	}
}

func (f fields) number(i int) float64 {
	v, err := strconv.ParseFloat(f.text[i], 64)
	f.note(err)
	return v
}

func (f fields) path(text string) path.Path {
	p, err := path.Parse(text)
	f.note(err)
	return p
}

func eachLine(r io.Reader, columns int, do func(fields) error) error {
	in := csv.NewReader(r)
	in.FieldsPerRecord = columns
	for header := true; ; header = false {
		line, err := in.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if header {
			continue
		}
		var bad error
		if err := do(fields{line, &bad}); err != nil {
			at, _ := in.FieldPos(0)
			return fmt.Errorf("line %d: %w", at, err)
		}
	}
}
