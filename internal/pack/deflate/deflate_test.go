package deflate

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

func unpacked(t *testing.T, packed []byte) (doc, extra []byte) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	doc, err = io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return doc, z.Extra
}

func noise(n int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

func TestWhatIsPackedUnpacks(t *testing.T) {
	far := slicesOf(noise(window-10), noise(window+10))
	for name, doc := range map[string][]byte{
		"nothing":             nil,
		"a byte":              {200},
		"fewer than a match":  []byte("abc"),
		"one byte repeated":   bytes.Repeat([]byte{7}, 3*window),
		"noise":               noise(3 * window),
		"matches afar":        far,
		"every match length":  ladder(),
		"a match at the edge": slicesOf(noise(window), noise(window)[:longest]),
		"one beyond the edge": slicesOf(noise(window+1), noise(window + 1)[:longest]),
	} {
		if got, _ := unpacked(t, Gzip(nil, doc)); !bytes.Equal(got, doc) {
			t.Errorf("%s: %d bytes became %d", name, len(doc), len(got))
		}
	}
}

// slicesOf returns each piece twice, the pieces one after the other.
func slicesOf(pieces ...[]byte) []byte {
	var all []byte
	for _, p := range pieces {
		all = append(append(all, p...), p...)
	}
	return all
}

// ladder repeats pieces of all lengths that a match can have.
func ladder() []byte {
	source := noise(longest + 5)
	all := bytes.Clone(source)
	for n := range source {
		all = append(append(all, byte(n)), source[:n]...)
	}
	return all
}

func TestExtraField(t *testing.T) {
	want := []byte{'u', 'c', 2, 0, 1, 2}
	if doc, extra := unpacked(t, Gzip(want, []byte("text"))); string(doc) != "text" || !bytes.Equal(extra, want) {
		t.Errorf("%q with %v", doc, extra)
	}
}

func TestPacksNearlyAsWellAsGzip(t *testing.T) {
	var b strings.Builder
	random := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		b.WriteString(`{"at_s":0.` + strings.Repeat("1", 1+random.IntN(3)) + `,"rtt_us":` + string('1'+rune(random.IntN(9))) + "42},")
	}
	doc := []byte(b.String())
	var theirs bytes.Buffer
	z := gzip.NewWriter(&theirs)
	if _, err := z.Write(doc); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if ours := len(Gzip(nil, doc)); ours > 2*theirs.Len() {
		t.Errorf("%d bytes became %d, with compress/gzip %d", len(doc), ours, theirs.Len())
	}
}

func FuzzGzip(f *testing.F) {
	f.Add([]byte("abcabcabcabcabc"))
	f.Add(ladder())
	f.Fuzz(func(t *testing.T, doc []byte) {
		if got, _ := unpacked(t, Gzip(nil, doc)); !bytes.Equal(got, doc) {
			t.Errorf("%d bytes became %d", len(doc), len(got))
		}
	})
}
