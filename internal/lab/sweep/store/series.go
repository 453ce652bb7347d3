package store

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"unchoke/internal/lab/traffic"
)

// sampleColumns are those of a series.
var sampleColumns = []struct {
	name string
	text func(*traffic.Sample) string
	read func(*traffic.Sample, string) error
}{
	sampleSeconds("at_s", func(s *traffic.Sample) *time.Duration { return &s.At }),
	sampleCount("cwnd_segments", func(s *traffic.Sample) *uint32 { return &s.Cwnd }),
	sampleCount("ssthresh_segments", func(s *traffic.Sample) *uint32 { return &s.Ssthresh }),
	sampleCount("ca_state", func(s *traffic.Sample) *uint8 { return &s.State }),
	sampleSeconds("rtt_s", func(s *traffic.Sample) *time.Duration { return &s.RTT }),
	sampleSeconds("min_rtt_s", func(s *traffic.Sample) *time.Duration { return &s.MinRTT }),
	sampleCount("reordering", func(s *traffic.Sample) *uint32 { return &s.Reordering }),
	sampleCount("reord_seen", func(s *traffic.Sample) *uint32 { return &s.ReordSeen }),
	sampleCount("dsacks", func(s *traffic.Sample) *uint32 { return &s.DSACKs }),
	sampleCount("retransmits", func(s *traffic.Sample) *uint32 { return &s.Retrans }),
	sampleCount("lost", func(s *traffic.Sample) *uint32 { return &s.Lost }),
	sampleCount("delivered", func(s *traffic.Sample) *uint32 { return &s.Delivered }),
	sampleCount("pacing_bytes_per_s", func(s *traffic.Sample) *uint64 { return &s.Pacing }),
	sampleCount("acked_bytes", func(s *traffic.Sample) *uint64 { return &s.Acked }),
	sampleCount("received_bytes", func(s *traffic.Sample) *int64 { return &s.Received }),
}

type sampleColumn = struct {
	name string
	text func(*traffic.Sample) string
	read func(*traffic.Sample, string) error
}

func sampleSeconds(name string, field func(*traffic.Sample) *time.Duration) sampleColumn {
	return sampleColumn{
		name,
		func(s *traffic.Sample) string { return seconds(*field(s)) },
		func(s *traffic.Sample, v string) (err error) { *field(s), err = parseSeconds(v); return err },
	}
}

func sampleCount[T uint8 | uint32 | uint64 | int64](name string, field func(*traffic.Sample) *T) sampleColumn {
	return sampleColumn{
		name,
		func(s *traffic.Sample) string { return strconv.FormatUint(uint64(*field(s)), 10) },
		func(s *traffic.Sample, v string) error {
			n, err := strconv.ParseUint(v, 10, 64)
			if err == nil && (uint64(T(n)) != n || T(n) < 0) {
				err = strconv.ErrRange
			}
			*field(s) = T(n)
			return err
		},
	}
}

// writeSeries writes samples as CSV.
func writeSeries(w io.Writer, samples []traffic.Sample) error {
	out := csv.NewWriter(w)
	record := make([]string, len(sampleColumns))
	for i, c := range sampleColumns {
		record[i] = c.name
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for _, s := range samples {
		for i, c := range sampleColumns {
			record[i] = c.text(&s)
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// readSeries reads what writeSeries wrote.
func readSeries(r io.Reader) ([]traffic.Sample, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord = len(sampleColumns)
	lines, err := in.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("the header is missing")
	}
	samples := make([]traffic.Sample, len(lines)-1)
	for i, record := range lines[1:] {
		for j, c := range sampleColumns {
			if err := c.read(&samples[i], record[j]); err != nil {
				return nil, fmt.Errorf("line %d: %s: %w", i+2, c.name, err)
			}
		}
	}
	return samples, nil
}
