package txn

import (
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// Keys are bytes, not text, on the wire and on disk.
var encMode, decMode = func() (cbor.EncMode, cbor.DecMode) {
	enc, err := cbor.EncOptions{String: cbor.StringToByteString}.EncMode()
	if err != nil {
		panic(err)
	}
	dec, err := cbor.DecOptions{
		ByteStringToString: cbor.ByteStringToStringAllowed,
		MaxArrayElements:   1 << 24,
		MaxMapPairs:        1 << 16,
		MaxNestedLevels:    16,
	}.DecMode()
	if err != nil {
		panic(err)
	}
	return enc, dec
}()

// Encode returns the form of a value on the wire and in the log: CBOR with numbered
// fields. v is one of this package's types or built from them.
func Encode(v any) []byte {
	b, err := encMode.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", v, err)) // only a type without an encoding
	}
	return b
}

// Decode reads what Encode wrote into v, a pointer. It never panics, for any b.
func Decode(b []byte, v any) error {
	if err := decMode.Unmarshal(b, v); err != nil {
		return fmt.Errorf("a %T cannot be read: %w", v, err)
	}
	return nil
}
