package network

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unchoke/internal/linux/qdisc"
	"unchoke/internal/path"
)

// standard is what netem makes of a jitter with standard deviation 1.
func standard(j jitter) []float64 {
	out := make([]float64, len(j.table))
	for i, v := range j.table {
		out[i] = float64(v) / qdisc.TableScale * j.reach
	}
	return out
}

func TestJitterHasItsStandardDeviation(t *testing.T) {
	for _, c := range []struct {
		dist           path.Dist
		low, mid, high float64 // quantiles at 5, 50 and 95 %
	}{
		{path.Normal, -1.645, 0, 1.645},
		{path.Uniform, -1.559, 0, 1.559},
		{path.Pareto, -0.744, -0.350, 2.013},
		{path.ParetoNormal, -1.041, -0.258, 1.977},
	} {
		j, err := jitterOf(c.dist, "")
		if err != nil {
			t.Fatalf("%s: %v", c.dist, err)
		}
		values := standard(j)
		mean, deviation := moments(values)
		if math.Abs(mean) > 1e-4 || math.Abs(deviation-1) > 1e-4 {
			t.Errorf("%s: mean %.6f, standard deviation %.6f, want 0 and 1", c.dist, mean, deviation)
		}
		for p, want := range map[float64]float64{0.05: c.low, 0.5: c.mid, 0.95: c.high} {
			if got := values[int(p*float64(len(values)))]; math.Abs(got-want) > 0.003 {
				t.Errorf("%s: quantile at %g is %.4f, want %.3f", c.dist, p, got, want)
			}
		}
	}
}

func TestMeasuredTable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "measured.dist")
	if err := os.WriteFile(file, []byte("# Two humps\n-100 -100 # left\n100\n\n100\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	j, err := jitterOf(path.FilePrefix+"measured.dist", filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{-1, -1, 1, 1} {
		if got := standard(j)[i]; math.Abs(got-want) > 1e-4 {
			t.Errorf("entry %d is %.5f, want %g", i, got, want)
		}
	}
}

func TestTablesThatAreNone(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "no values"},
		{"# nothing\n", "no values"},
		{"1 2\n3 4.5\n", `line 2: "4.5" is not a whole number`},
		{"1 2\n\n# x\n99999999999\n", `line 4: "99999999999" is not a whole number`},
		{"7 7 7", "the values do not vary"},
		{strings.Repeat("1 2\n", qdisc.MaxTable), "32768 values; the kernel takes at most 16384"},
	} {
		file := filepath.Join(t.TempDir(), "table")
		if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := readTable(file)
		if want := "distribution " + file + ": " + c.want; err == nil || err.Error() != want {
			t.Errorf("%.20q: error %v, want %s", c.text, err, want)
		}
	}
	if _, err := readTable("/nonexistent"); err == nil {
		t.Error("a file that does not exist was read")
	}
}

func FuzzParseTable(f *testing.F) {
	f.Add("1 -2 3\n# c\n4")
	f.Fuzz(func(t *testing.T, text string) {
		values, err := parseTable(text)
		if err != nil {
			return
		}
		if j, err := standardize(values); err == nil && (len(j.table) != len(values) || !(j.reach > 0)) {
			t.Errorf("%q: %d of %d values, reach %g", text, len(j.table), len(values), j.reach)
		}
	})
}
