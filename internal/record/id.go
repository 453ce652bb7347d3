package record

import "regexp"

var idForm = regexp.MustCompile(`^\d{8}-\d{6}-[0-9a-f]{6}$`)

// ValidID tells whether id has the form of an ID: the time of the run, in UTC,
// and a random suffix, so that IDs sort as their times do.
func ValidID(id string) bool { return idForm.MatchString(id) }
