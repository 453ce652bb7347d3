package audit

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// kernelRelease is the version of Windows.
func kernelRelease() (string, error) {
	v := windows.RtlGetVersion()
	return fmt.Sprintf("%d.%d.%d", v.MajorVersion, v.MinorVersion, v.BuildNumber), nil
}
