package path

// Keys are the words of the path language: first those that hold for the whole
// path or for both directions, then the latter for one direction only.
func Keys() []string {
	var both, one []string
	for _, k := range keys {
		both = append(both, k.name)
		if k.direction != nil {
			one = append(one, "up."+k.name, "down."+k.name)
		}
	}
	return append(both, one...)
}
