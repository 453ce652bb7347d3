package hint

import (
	"errors"
	"fmt"
	"testing"
)

func TestOf(t *testing.T) {
	plain := errors.New("no route to host")
	inner := With(plain, "ip route shows the routes")
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"nil", nil, ""},
		{"without one", plain, ""},
		{"its own", inner, "ip route shows the routes"},
		{"wrapped", fmt.Errorf("check far: %w", inner), "ip route shows the routes"},
		{"the outer one counts", With(fmt.Errorf("check far: %w", inner), "give an address"), "give an address"},
		{"joined", errors.Join(plain, inner), "ip route shows the routes"},
	} {
		if got := Of(c.err); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if !errors.Is(inner, plain) {
		t.Error("an error with a next step is no longer the error that it was")
	}
}
