package rowcodec

import (
	"fmt"

	"isochron/sql/coltype"
)

// Storable reports as an error that no column may be of a type.
func Storable(t *coltype.Type) error {
	if t.Kind == 0 {
		return fmt.Errorf("columns of type %s cannot be stored; use another type", t)
	}
	return nil
}

// Indexable is Storable for a column of a key.
func Indexable(t *coltype.Type) error {
	if t.Kind == coltype.KindJSON {
		return fmt.Errorf("a column of type %s cannot be part of a key; index a generated column instead", t)
	}
	return Storable(t)
}
