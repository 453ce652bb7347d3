package network

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"unchoke/internal/linux/qdisc"
	"unchoke/internal/path"
)

// jitter is a distribution of mean 0 and standard deviation 1 as netem takes
// it: equally likely values that come out multiplied by a time, and divided by
// qdisc.TableScale. That time is reach standard deviations.
type jitter struct {
	table []int16
	reach float64
}

// jitterOf finds a distribution. File names that are not absolute begin in dir.
func jitterOf(d path.Dist, dir string) (jitter, error) {
	if name, isFile := strings.CutPrefix(string(d), path.FilePrefix); isFile {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return readTable(name)
	}
	shape, ok := shapes[d]
	if !ok {
		return jitter{}, fmt.Errorf("unknown distribution %q", d)
	}
	return shape()
}

// shapes are the distributions that have a name. Each is worked out once in a
// program: a sweep asks for the same one a thousand times.
var shapes = map[path.Dist]func() (jitter, error){
	path.Normal:       shape(normalQuantile),
	path.Uniform:      shape(func(p float64) float64 { return p }),
	path.Pareto:       shape(paretoQuantile),
	path.ParetoNormal: shape(paretoNormalQuantile),
}

func shape(inverse func(p float64) float64) func() (jitter, error) {
	return sync.OnceValues(func() (jitter, error) { return standardize(quantiles(inverse)) })
}

// quantiles evaluates an inverse distribution function in the middle of each
// of the table's equally likely cells.
func quantiles(inverse func(p float64) float64) []float64 {
	out := make([]float64, qdisc.MaxTable)
	for i := range out {
		out[i] = inverse((float64(i) + 0.5) / float64(len(out)))
	}
	return out
}

func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// paretoQuantile has the shape of iproute2's pareto.dist: the distribution of
// exponent 3, cut where that table ends.
func paretoQuantile(p float64) float64 {
	const end = 4.5
	return min(math.Pow(1-p, -1.0/3), end)
}

// paretoNormalQuantile has the shape of iproute2's paretonormal.dist: entry by
// entry, a quarter of normal.dist and three quarters of pareto.dist, which is
// scaled by 4/3.
func paretoNormalQuantile(p float64) float64 {
	return normalQuantile(p)/4 + paretoQuantile(p)
}

// standardize centres values on 0 and scales them so that the farthest from it
// just fits the table.
func standardize(values []float64) (jitter, error) {
	mean, deviation := moments(values)
	if deviation == 0 {
		return jitter{}, errors.New("the values do not vary")
	}
	var farthest float64
	for _, v := range values {
		farthest = max(farthest, math.Abs(v-mean))
	}
	j := jitter{
		table: make([]int16, len(values)),
		reach: farthest / deviation * qdisc.TableScale / math.MaxInt16,
	}
	for i, v := range values {
		j.table[i] = int16(math.Round((v - mean) / farthest * math.MaxInt16))
	}
	return j, nil
}

// moments are the mean and the standard deviation.
func moments(values []float64) (mean, deviation float64) {
	for _, v := range values {
		mean += v
	}
	mean /= float64(len(values))
	var squares float64
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(squares / float64(len(values)))
}

// readTable reads a measured distribution: whole numbers between blanks, any
// scale and centre, # for a comment to the end of its line. It is what
// iproute2 keeps in its .dist files.
func readTable(name string) (jitter, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return jitter{}, fmt.Errorf("read distribution: %w", err)
	}
	values, err := parseTable(string(text))
	if err != nil {
		return jitter{}, fmt.Errorf("distribution %s: %w", name, err)
	}
	j, err := standardize(values)
	if err != nil {
		return jitter{}, fmt.Errorf("distribution %s: %w", name, err)
	}
	return j, nil
}

func parseTable(text string) ([]float64, error) {
	var values []float64
	line := 0
	for l := range strings.Lines(text) {
		line++
		l, _, _ = strings.Cut(l, "#")
		for word := range strings.FieldsSeq(l) {
			v, err := strconv.ParseInt(word, 10, 32)
			if err != nil {
				return nil, fmt.Errorf("line %d: %q is not a whole number", line, word)
			}
			values = append(values, float64(v))
		}
	}
	switch {
	case len(values) == 0:
		return nil, fmt.Errorf("no values")
	case len(values) > qdisc.MaxTable:
		return nil, fmt.Errorf("%d values; the kernel takes at most %d", len(values), qdisc.MaxTable)
	}
	return values, nil
}
