package sim

import (
	"math/rand/v2"
	"reflect"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"isochron/txn"
)

// garble changes some fields of a message, so that it can still be decoded.
func garble(r *rand.Rand, m *txn.Message) {
	for range 1 + r.IntN(3) {
		if m.Raft != nil && r.IntN(4) > 0 {
			garbleRaft(r, m.Raft)
		} else {
			garbleValue(r, reflect.ValueOf(m).Elem())
		}
	}
}

// numbers are those at which sums, lengths and comparisons go wrong.
var numbers = []uint64{0, 1, 2, 3, 127, 255, 1 << 31, 1<<32 - 1, 1 << 62, 1 << 63, 1<<63 - 1, 1<<64 - 1, 1<<64 - 2}

// strange returns a number near n, or one of the numbers.
func strange(r *rand.Rand, n uint64) uint64 {
	if r.IntN(2) == 0 {
		return n + uint64(r.IntN(7)) - 3
	}
	return numbers[r.IntN(len(numbers))]
}

// garbleValue changes one value somewhere below v.
func garbleValue(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			garbleValue(r, v.Elem())
		}
	case reflect.Struct:
		var some []reflect.Value
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() && (f.Kind() != reflect.Pointer || !f.IsNil()) {
				some = append(some, f)
			}
		}
		if len(some) > 0 {
			garbleValue(r, some[r.IntN(len(some))])
		}
	case reflect.Array:
		if v.Len() > 0 {
			garbleValue(r, v.Index(r.IntN(v.Len())))
		}
	case reflect.Slice:
		garbleSlice(r, v)
	case reflect.String:
		v.SetString([]string{"", "\x00", "\xff\xff", v.String() + "\x00"}[r.IntN(4)])
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Int8:
		v.SetInt(int64(strange(r, uint64(v.Int()))))
	case reflect.Uint, reflect.Uint64, reflect.Uint32, reflect.Uint16, reflect.Uint8:
		v.SetUint(strange(r, v.Uint()))
	}
}

func garbleSlice(r *rand.Rand, v reflect.Value) {
	n := v.Len()
	switch r.IntN(5) {
	case 0:
		v.SetZero()
	case 1:
		v.Set(v.Slice(0, n/2))
	case 2:
		if n > 0 {
			v.Set(reflect.Append(v, v.Index(r.IntN(n))))
		} else {
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
		}
	default:
		if n > 0 {
			garbleValue(r, v.Index(r.IntN(n)))
		}
	}
}

// garbleRaft changes one field of Raft's message, at any depth.
func garbleRaft(r *rand.Rand, m *txn.Raft) {
	msg := new(pb.Message)
	if proto.Unmarshal(m.Data, msg) != nil {
		return
	}
	garbleProto(r, msg.ProtoReflect())
	m.Data, _ = proto.MarshalOptions{Deterministic: true}.Marshal(msg) // it was decoded from bytes
}

func garbleProto(r *rand.Rand, m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	f := fields.Get(r.IntN(fields.Len()))
	switch {
	case f.IsList():
		list := m.Mutable(f).List()
		if n := list.Len(); n == 0 {
			if f.Message() == nil {
				list.Append(strangeProto(r, f, protoreflect.Value{}))
			}
		} else if i := r.IntN(n); r.IntN(3) == 0 {
			list.Truncate(i)
		} else if f.Message() != nil {
			garbleProto(r, list.Get(i).Message())
		} else {
			list.Set(i, strangeProto(r, f, list.Get(i)))
		}
	case f.Message() != nil:
		garbleProto(r, m.Mutable(f).Message())
	case r.IntN(6) == 0:
		m.Clear(f)
	default:
		m.Set(f, strangeProto(r, f, m.Get(f)))
	}
}

// strangeProto returns another value for a field.
func strangeProto(r *rand.Rand, f protoreflect.FieldDescriptor, old protoreflect.Value) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(r.IntN(f.Enum().Values().Len() + 1)))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(r.IntN(2) == 0)
	case protoreflect.BytesKind:
		if old.IsValid() && len(old.Bytes()) > 0 {
			b := append([]byte(nil), old.Bytes()...)
			b[r.IntN(len(b))] = byte(r.Uint32())
			return protoreflect.ValueOfBytes(b[:r.IntN(len(b)+1)])
		}
		return protoreflect.ValueOfBytes([]byte{byte(r.Uint32())})
	}
	if old.IsValid() {
		return protoreflect.ValueOfUint64(strange(r, old.Uint()))
	}
	return protoreflect.ValueOfUint64(strange(r, 1))
}
