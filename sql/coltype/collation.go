package coltype

// Charset is a character set other than UTF-8. Texts of it are stored in UTF-8.
type Charset interface {
	// Size is the number of bytes of a character; 0: the set does not have it.
	Size(r rune) int
	// Text is what bytes in the set are in UTF-8; false: they are no text of it.
	Text(b []byte) (string, bool)
}

// Collation compares texts. A key holds the weights of its texts' characters, so these never change.
type Collation struct {
	ID             uint16  // MySQL's number
	Charset        Charset // nil: UTF-8, of characters of CharacterBytes at most
	CharacterBytes int
	Pads           bool               // spaces at the end of a text do not count (PAD SPACE); never if Binary
	Binary         bool               // texts are compared by their bytes
	Weight         func(r rune) int32 // of a character; nil if Binary
}
