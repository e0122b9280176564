package coltype

// Collation compares texts. A key holds the weights of its texts' characters, so these never change.
type Collation struct {
	ID uint16 // MySQL's number
	// Unicode: the character set is UTF-8, of characters of CharacterBytes at most.
	Unicode        bool
	CharacterBytes int
	Pads           bool               // spaces at the end of a text do not count (PAD SPACE); never if Binary
	Binary         bool               // texts are compared by their bytes
	Weight         func(r rune) int32 // of a character; nil if Binary
}
