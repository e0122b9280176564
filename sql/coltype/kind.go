package coltype

// Kind is the family a column type belongs to: the Go type of its values, and their order.
type Kind uint8

// The kinds of column.
const (
	KindInt      Kind = iota + 1 // int8 .. int64
	KindUint                     // uint8 .. uint64
	KindFloat32                  // float32
	KindFloat64                  // float64
	KindDecimal                  // *apd.Decimal
	KindText                     // string, ordered by collation
	KindBytes                    // []byte
	KindTime                     // time.Time: date, datetime, timestamp
	KindTimespan                 // Span
	KindYear                     // int16
	KindBit                      // uint64
	KindEnum                     // uint16
	KindSet                      // uint64
	KindJSON                     // JSON
)
