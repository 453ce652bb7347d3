package record

// ValidID tells whether id has the form of an ID: the time of the run, in UTC,
// and a random suffix, so that IDs sort as their times do.
func ValidID(id string) bool {
	const form = "dddddddd-dddddd-xxxxxx" // decimal and hexadecimal digits
	if len(id) != len(form) {
		return false
	}
	for i := range len(id) {
		digit := id[i] >= '0' && id[i] <= '9'
		switch form[i] {
		case 'x':
			digit = digit || id[i] >= 'a' && id[i] <= 'f'
		case '-':
			digit = id[i] == '-'
		}
		if !digit {
			return false
		}
	}
	return true
}
