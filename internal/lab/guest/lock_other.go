//go:build !unix

package guest

import "errors"

func lock(string) (unlock func(), err error) { return nil, errors.ErrUnsupported }
