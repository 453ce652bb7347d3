package record

import (
	"net/url"
	"testing"
)

func TestShownURL(t *testing.T) {
	u, err := url.Parse("https://me:secret@example.org/a?api_key=secret&static&x=#secret")
	if err != nil {
		t.Fatal(err)
	}
	if got := ShownURL(u); got != "https://example.org/a?api_key=…&static&x=…" {
		t.Error(got)
	}
}
