package txn

// What goes between a gateway and a source's agent for each statement is read by hand: the general
// decoder takes 4 to 7 us for such an envelope. What is not written here in so many words, whether
// new, rare, odd or wrong, is left to the general decoder, which alone says what is an error; so the
// two never differ.

// DecodeEnvelope is Decode of an envelope.
func DecodeEnvelope(b []byte, e *Envelope) error {
	r := scanner{rest: b}
	if r.envelope(e); !r.odd && len(r.rest) == 0 {
		return nil
	}
	*e = Envelope{}
	return Decode(b, e)
}

// scanner reads CBOR as Encode writes it. odd: something else came, and nothing read is worth anything.
type scanner struct {
	rest []byte
	odd  bool
}

// elementsMost bounds the lists that are read by hand.
const elementsMost = 1 << 10

// The major types of CBOR, and two values.
const (
	cborUint  = 0
	cborBytes = 2
	cborArray = 4
	cborMap   = 5
	cborTrue  = 0xf5
	cborNull  = 0xf6
)

// head reads the number that begins an item of a major type.
func (r *scanner) head(major byte) uint64 {
	if r.odd || len(r.rest) == 0 || r.rest[0]>>5 != major {
		r.odd = true
		return 0
	}
	info := r.rest[0] & 31
	if info < 24 {
		r.rest = r.rest[1:]
		return uint64(info)
	}
	size := 1 << (info - 24)
	if info > 27 || len(r.rest) <= size {
		r.odd = true
		return 0
	}
	n := uint64(0)
	for _, b := range r.rest[1 : 1+size] {
		n = n<<8 | uint64(b)
	}
	r.rest = r.rest[1+size:]
	return n
}

// fields reads a map from numbers to what field reads.
func (r *scanner) fields(field func(number uint64)) {
	seen := uint64(0)
	for n := r.head(cborMap); n > 0 && !r.odd; n-- {
		number := r.head(cborUint)
		if number > 63 || seen&(1<<number) != 0 {
			r.odd = true
			return
		}
		seen |= 1 << number
		field(number)
	}
}

// list reads an array.
func list[T any](r *scanner, element func(*T)) []T {
	n := r.head(cborArray)
	if r.odd || n > elementsMost || n > uint64(len(r.rest)) {
		r.odd = true
		return nil
	}
	out := make([]T, n)
	for i := range out {
		if element(&out[i]); r.odd {
			return nil
		}
	}
	return out
}

// whole reads a number that is not negative.
func whole[T ~int | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](r *scanner, to *T) {
	n := r.head(cborUint)
	*to = T(n)
	r.odd = r.odd || *to < 0 || uint64(*to) != n
}

// yes reads what is left out where it is false.
func (r *scanner) yes(to *bool) {
	if r.odd || len(r.rest) == 0 || r.rest[0] != cborTrue {
		r.odd = true
		return
	}
	*to, r.rest = true, r.rest[1:]
}

// raw reads bytes, and does not copy them.
func (r *scanner) raw() []byte {
	n := r.head(cborBytes)
	if r.odd || n > uint64(len(r.rest)) {
		r.odd = true
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func text[T ~string](r *scanner, to *T) { *to = T(r.raw()) }

// value reads bytes, or nil.
func (r *scanner) value(to *[]byte) {
	if !r.odd && len(r.rest) > 0 && r.rest[0] == cborNull {
		*to, r.rest = nil, r.rest[1:]
		return
	}
	*to = append([]byte{}, r.raw()...)
}

func (r *scanner) envelope(e *Envelope) {
	r.fields(func(number uint64) {
		switch number {
		case 1:
			whole(r, &e.From)
		case 2:
			whole(r, &e.To)
		case 3:
			r.message(&e.Msg)
		case 4:
			whole(r, &e.Part)
		default:
			r.odd = true
		}
	})
}

func (r *scanner) message(m *Message) {
	r.fields(func(number uint64) {
		switch number {
		case 2:
			m.Access = new(Access)
			r.access(m.Access)
		case 3:
			m.AccessReply = new(AccessReply)
			r.reply(m.AccessReply)
		default:
			r.odd = true
		}
	})
}

func (r *scanner) access(a *Access) {
	r.fields(func(number uint64) {
		switch number {
		case 1:
			whole(r, &a.Shard)
		case 2:
			whole(r, &a.Request)
		case 3:
			r.id(&a.Txn)
		case 4:
			r.age(&a.Age)
		case 11:
			whole(r, &a.WaitMillis)
		case 16:
			r.yes(&a.Fresh)
		case 19:
			r.yes(&a.Alone)
		case 23:
			whole(r, &a.ProtocolSeq)
		case 24:
			a.Work = new(Work)
			r.work(a.Work)
		default:
			r.odd = true
		}
	})
}

func (r *scanner) id(to *ID) {
	r.fields(func(number uint64) {
		switch number {
		case 1:
			whole(r, &to.Node)
		case 2:
			whole(r, &to.Epoch)
		case 3:
			whole(r, &to.Seq)
		default:
			r.odd = true
		}
	})
}

func (r *scanner) age(to *Age) {
	r.fields(func(number uint64) {
		switch number {
		case 1:
			whole(r, &to.Start)
		case 2:
			r.id(&to.ID)
		default:
			r.odd = true
		}
	})
}

func (r *scanner) work(w *Work) {
	r.fields(func(number uint64) {
		switch number {
		case 1:
			r.id((*ID)(&w.Attempt))
		case 2:
			whole(r, &w.Step)
		case 3:
			w.Statements = list(r, r.statement)
		case 4:
			w.Last = new(Prepare)
			r.prepare(w.Last)
		case 5:
			w.Peers = list(r, r.peer)
		case 6:
			whole(r, &w.DecidedAt)
		case 7:
			whole(r, &w.Term)
		case 8:
			whole(r, &w.Level)
		case 9:
			whole(r, &w.Retired)
		case 10:
			w.Locks = list(r, r.locked)
		default:
			r.odd = true
		}
	})
}

func (r *scanner) statement(s *Statement) {
	r.fields(func(number uint64) {
		switch number {
		case 1:
			text(r, &s.Text)
		case 2:
			s.Args = list(r, r.value)
		case 3:
			whole(r, &s.MaxRows)
		case 5:
			r.yes(&s.Locks)
		case 6:
			s.Guard = list(r, func(to *string) { text(r, to) })
		case 7:
			whole(r, &s.Least)
		default: // Kinds are bytes there and an array here
			r.odd = true
		}
	})
}

func (r *scanner) prepare(p *Prepare) {
	r.fields(func(number uint64) {
		switch number {
		case 1:
			whole(r, &p.Shard)
		case 2:
			r.id((*ID)(&p.Attempt))
		case 3:
			r.id(&p.Txn)
		case 4:
			r.age(&p.Age)
		case 5:
			p.Participants = list(r, func(to *ShardID) { whole(r, to) })
		case 11:
			whole(r, &p.Term)
		case 12:
			r.yes(&p.OnePhase)
		case 14:
			whole(r, &p.Retired)
		case 17:
			whole(r, &p.DecidedAt)
		case 23:
			whole(r, &p.ProtocolSeq)
		default:
			r.odd = true
		}
	})
}

func (r *scanner) peer(p *Peer) {
	r.fields(func(number uint64) {
		switch number {
		case 1:
			whole(r, &p.Node)
		case 2:
			whole(r, &p.Shard)
		default:
			r.odd = true
		}
	})
}

func (r *scanner) locked(l *Locked) {
	r.fields(func(number uint64) {
		switch number {
		case 1:
			l.Records = list(r, func(to *Key) { text(r, to) })
		case 2:
			r.yes(&l.Writes)
		default:
			r.odd = true
		}
	})
}

func (r *scanner) reply(a *AccessReply) {
	r.fields(func(number uint64) {
		switch number {
		case 1:
			whole(r, &a.Shard)
		case 2:
			whole(r, &a.Request)
		case 8:
			whole(r, &a.Term)
		case 24:
			a.Worked = new(Worked)
			r.worked(a.Worked)
		default:
			r.odd = true
		}
	})
}

func (r *scanner) worked(w *Worked) {
	r.fields(func(number uint64) {
		switch number {
		case 1:
			w.Results = list(r, r.result)
		case 3:
			r.yes(&w.Going)
		case 4:
			r.yes(&w.Committed)
		default:
			r.odd = true
		}
	})
}

func (r *scanner) result(to *Result) {
	r.fields(func(number uint64) {
		switch number {
		case 1:
			to.Columns = list(r, r.column)
		case 2:
			to.Rows = list(r, func(row *[][]byte) { *row = list(r, r.value) })
		case 3:
			whole(r, &to.Affected)
		case 4:
			whole(r, &to.InsertID)
		default:
			r.odd = true
		}
	})
}

func (r *scanner) column(c *Column) {
	r.fields(func(number uint64) {
		switch number {
		case 1:
			text(r, &c.Name)
		case 2:
			text(r, &c.Type)
		case 3:
			r.yes(&c.Null)
		case 4:
			r.yes(&c.Auto)
		default:
			r.odd = true
		}
	})
}
