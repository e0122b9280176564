package expr

// StoredJSON is a text as a column of type JSON holds it: in MySQL's form, by which 1e3 is 1000.0 and the members of an object
// are sorted. what is not "" if the text is no JSON document, and at the byte at which it is none.
func StoredJSON(text string) (form []byte, what string, at int) {
	doc, fault := parseJSON(text)
	if fault != nil {
		return nil, fault.what, fault.at
	}
	return doc.append(nil, len(text)*jsonGrowth+jsonGrowth), "", 0
}

// jsonGrowth bounds the form of a text by its length: a control character takes six bytes for two.
const jsonGrowth = 32
