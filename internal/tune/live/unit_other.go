//go:build !linux

package live

// HostGroups are the control groups of this host: there are none.
type HostGroups struct{}

var errNoGroups = &UnableError{"this system has no control groups", "unchoke tune works on Linux"}

func (HostGroups) Find(string) (Group, error)     { return Group{}, errNoGroups }
func (HostGroups) Load(string) (Program, error)   { return nil, errNoGroups }
func (HostGroups) At(Group, uint32) (bool, error) { return false, errNoGroups }
func (HostGroups) Detach(Group, uint32) error     { return errNoGroups }
