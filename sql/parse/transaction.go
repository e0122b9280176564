package parse

// TransactionKind is what a statement does to the session's transaction.
type TransactionKind uint8

// The kinds of statements.
const (
	Begin TransactionKind = iota
	Commit
	Rollback
	SetSavepoint
	RollbackToSavepoint
	ReleaseSavepoint
)

// Transaction is a statement that begins or ends a transaction, or is about a savepoint.
type Transaction struct {
	Kind       TransactionKind
	Savepoint  string
	ReadOnly   bool
	Consistent bool // WITH CONSISTENT SNAPSHOT
}

// ReadTransaction reads such a statement; nil: the text is no other than these:
//
//	BEGIN [WORK]
//	START TRANSACTION [WITH CONSISTENT SNAPSHOT | READ ONLY | READ WRITE] [, ...]
//	COMMIT [WORK] [AND NO CHAIN] [NO RELEASE]
//	ROLLBACK [WORK] [AND NO CHAIN] [NO RELEASE]
//	SAVEPOINT name
//	ROLLBACK [WORK] TO [SAVEPOINT] name
//	RELEASE SAVEPOINT name
func ReadTransaction(text string, ansi bool) *Transaction {
	r := Reader{Text: text, ANSI: ansi}
	var t Transaction
	ok := true
	switch {
	case r.Words("start", "transaction"):
		ok = t.characteristics(&r)
	case r.Take("begin"):
		r.Take("work")
	case r.Take("commit"):
		t.Kind = Commit
		ok = endsPlainly(&r)
	case r.Take("rollback"):
		t.Kind = Rollback
		if at := r.At; !toSavepoint(&r) {
			r.At = at
			ok = endsPlainly(&r)
			break
		}
		t.Kind = RollbackToSavepoint
		ok = t.named(&r)
	case r.Take("savepoint"):
		t.Kind = SetSavepoint
		ok = t.named(&r)
	case r.Words("release", "savepoint"):
		t.Kind = ReleaseSavepoint
		ok = t.named(&r)
	default:
		return nil
	}
	r.Take(";")
	if !ok || r.Next().Kind != End {
		return nil
	}
	return &t
}

// characteristics reads those of START TRANSACTION; false: they are none, or contradict each other.
func (t *Transaction) characteristics(r *Reader) bool {
	written := false
	for {
		switch {
		case r.Words("with", "consistent", "snapshot"):
			t.Consistent = true
		case r.Words("read", "only"):
			t.ReadOnly = true
		case r.Words("read", "write"):
			written = true
		default:
			next := r.Peek()
			return (next.Kind == End || next.Is(";")) && !t.Consistent && !t.ReadOnly && !written
		}
		if t.ReadOnly && written {
			return false
		}
		if !r.Take(",") {
			return true
		}
	}
}

// endsPlainly reads what follows COMMIT and ROLLBACK.
func endsPlainly(r *Reader) bool {
	r.Take("work")
	if r.Take("and") && !r.Words("no", "chain") {
		return false
	}
	return !r.Take("no") || r.Take("release")
}

func toSavepoint(r *Reader) bool {
	r.Take("work")
	if !r.Take("to") {
		return false
	}
	r.Take("savepoint")
	return true
}

func (t *Transaction) named(r *Reader) bool {
	name := r.Next()
	t.Savepoint = name.Text
	return name.Kind == Word || name.Kind == Name
}
