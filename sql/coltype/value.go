package coltype

import "time"

// ZeroTime stands for '0000-00-00'.
var ZeroTime = time.Date(0, 0, 0, 0, 0, 0, 0, time.UTC)

// Span is a TIME, in microseconds.
type Span int64

// AsMicroseconds is the span in microseconds.
func (s Span) AsMicroseconds() int64 { return int64(s) }

// Micros is a TIME of ours or of the engine.
type Micros interface{ AsMicroseconds() int64 }

// JSON is the text of a JSON value, as MySQL writes it.
type JSON []byte
