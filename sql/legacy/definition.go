package legacy

// Index is the definition of a secondary index.
type Index struct {
	Name, Comment string
	Unique        bool
	Columns       []IndexColumn
}

// IndexColumn is a column of an index. Length is that of its prefix; 0 is all.
type IndexColumn struct {
	Name   string
	Length int
}
