package sql

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"testing"

	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/sqltest"
	"isochron/txn"
)

// The numbers of the types of dates and times in packets.
const (
	wireTimestamp = 7
	wireDate      = 10
	wireTime      = 11
	wireDatetime  = 12
)

// readTimestamp is a date or time as a packet has it. Of a time, day counts days.
type readTimestamp struct {
	kind                      byte
	negative                  bool
	year, month               int
	day, hour, minute, second int
	micro                     int
}

// size is how many bytes the shortest packet has that says all of m.
func (m readTimestamp) size() byte {
	switch {
	case m.kind == wireTime && m.micro != 0:
		return 12
	case m.kind == wireTime && m != readTimestamp{kind: wireTime}:
		return 8
	case m.kind == wireTime || m == readTimestamp{kind: m.kind}:
		return 0
	case m.micro != 0:
		return 11
	case m.hour != 0 || m.minute != 0 || m.second != 0:
		return 7
	}
	return 4
}

// packet is m in so many bytes, the length before them.
func (m readTimestamp) packet(size byte) []byte {
	var b []byte
	if m.kind == wireTime {
		b = append(b, 0)
		if m.negative {
			b[0] = 1
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(m.day))
	} else {
		b = append(binary.LittleEndian.AppendUint16(b, uint16(m.year)), byte(m.month), byte(m.day))
	}
	b = binary.LittleEndian.AppendUint32(append(b, byte(m.hour), byte(m.minute), byte(m.second)), uint32(m.micro))
	return append([]byte{size}, b[:size]...)
}

// text is m as the server writes it in a column of microseconds.
func (m readTimestamp) text() string {
	switch m.kind {
	case wireDate:
		return fmt.Sprintf("%04d-%02d-%02d", m.year, m.month, m.day)
	case wireTime:
		sign := ""
		if m.negative {
			sign = "-"
		}
		return fmt.Sprintf("%s%02d:%02d:%02d.%06d", sign, m.day*24+m.hour, m.minute, m.second, m.micro)
	}
	return fmt.Sprintf("%04d-%02d-%02d %02d:%02d:%02d.%06d", m.year, m.month, m.day, m.hour, m.minute, m.second, m.micro)
}

// preparer is a client who prepares and executes statements byte by byte.
type preparer struct {
	testing.TB
	c net.Conn
}

func (p *preparer) send(body []byte) {
	p.Helper()
	if _, err := p.c.Write(framed(body)); err != nil {
		p.Fatal(err)
	}
}

// prepare prepares a statement with so many parameters, and returns its number.
func (p *preparer) prepare(text string) uint32 {
	p.Helper()
	p.send(append([]byte{mysql.ComPrepare}, text...))
	b := packetOf(p, p.c)
	if b[0] != mysql.OKPacket {
		p.Fatalf("%s: %q", text, b)
	}
	for _, n := range []uint16{binary.LittleEndian.Uint16(b[7:]), binary.LittleEndian.Uint16(b[5:])} {
		for i := 0; n > 0 && i <= int(n); i++ { // and the end of them
			packetOf(p, p.c)
		}
	}
	return binary.LittleEndian.Uint32(b[1:])
}

// execute executes it with the values, each in a packet of the size given for it.
func (p *preparer) execute(id uint32, values []readTimestamp, sizes ...byte) {
	p.Helper()
	b := append(binary.LittleEndian.AppendUint32([]byte{mysql.ComStmtExecute}, id), 0, 1, 0, 0, 0)
	b = append(append(b, make([]byte, (len(values)+7)/8)...), 1)
	for _, v := range values {
		b = append(b, v.kind, 0)
	}
	for i, v := range values {
		b = append(b, v.packet(sizes[i])...)
	}
	p.send(b)
}

// row reads the one row of a result of n columns, its bytes behind the bits that say what is NULL.
func (p *preparer) row(n int) []byte {
	p.Helper()
	for range n + 2 { // their number, they, and the end of them
		if b := packetOf(p, p.c); b[0] == mysql.ErrPacket {
			p.Fatalf("%q", b)
		}
	}
	row := packetOf(p, p.c)
	if end := packetOf(p, p.c); row[0] != 0 || end[0] != mysql.EOFPacket {
		p.Fatalf("%q, %q", row, end)
	}
	return row[1+(n+7+2)/8:]
}

func sizesOf(values []readTimestamp) (sizes []byte) {
	for _, v := range values {
		sizes = append(sizes, v.size())
	}
	return sizes
}

// aroundMicros are dates and times with that fraction.
func aroundMicros(micro int) []readTimestamp {
	return []readTimestamp{
		{kind: wireDatetime, year: 2024, month: 2, day: 3, hour: 4, minute: 5, second: 6, micro: micro},
		{kind: wireTimestamp, year: 2024, month: 12, day: 31, micro: micro},
		{kind: wireTime, negative: true, day: 3, hour: 4, minute: 5, second: 6, micro: micro},
		{kind: wireTime, minute: 5, micro: micro},
		{kind: wireDate, year: 2024, month: 2, day: 3},
	}
}

// What a client sends as the numbers of a date or time is stored, and comes back as text
// and as numbers; whatever its fraction, and in each length of packet that can say it.
func TestTimesByTheBinaryProtocol(t *testing.T) {
	f := startGuarded(t, nil)
	root := f.open(t, "va", "root", rootPassword, false)
	must(t, root, "CREATE DATABASE d", "CREATE TABLE d.t (a DATETIME(6), b TIMESTAMP(6) NULL, c TIME(6), d TIME(6), e DATE)")
	p := &preparer{t, enter(t, f.servers["va"].Addr().String())}
	insertion, reading := p.prepare("INSERT INTO d.t VALUES (?, ?, ?, ?, ?)"), p.prepare("SELECT * FROM d.t")
	command(t, p.c, mysql.ComQuery, "SET sql_mode = ''") // a date may be empty
	lists := [][]readTimestamp{
		{{kind: wireDatetime}, {kind: wireTimestamp}, {kind: wireTime}, {kind: wireTime}, {kind: wireDate}},
		{{kind: wireDatetime, year: 2024, month: 2, day: 3}, {kind: wireTimestamp, year: 2024, month: 2, day: 3}, {kind: wireTime}, {kind: wireTime, day: 34, hour: 22, minute: 59, second: 59}, {kind: wireDate, year: 1, month: 1, day: 1}},
		{{kind: wireDatetime, year: 9999, month: 12, day: 31, hour: 23, minute: 59, second: 59}, {kind: wireTimestamp, year: 1999, month: 1, day: 2, hour: 1}, {kind: wireTime, second: 1}, {kind: wireTime, negative: true, hour: 1}, {kind: wireDate, year: 987, month: 6, day: 5}},
		{{kind: wireDatetime, year: 987, month: 6, day: 5, micro: 7}, {kind: wireTimestamp, year: 1999, month: 1, day: 2, micro: 70}, {kind: wireTime, negative: true, micro: 1}, {kind: wireTime, day: 1, micro: 10}, {kind: wireDate, year: 1000, month: 10, day: 10}},
	}
	for n := 1; n < 1_000_000; n *= 10 {
		lists = append(lists, aroundMicros(n), aroundMicros(n*10-1), aroundMicros(n*123%1_000_000))
	}
	for _, values := range lists {
		longest := []byte{11, 11, 12, 12, 4}
		for _, sizes := range [][]byte{sizesOf(values), longest} {
			must(t, root, "DELETE FROM d.t")
			p.execute(insertion, values, sizes...)
			if b := packetOf(t, p.c); b[0] != mysql.OKPacket {
				t.Fatalf("%v: %q", values, b)
			}
			var texts [5]string
			if err := root.QueryRow("SELECT * FROM d.t").Scan(&texts[0], &texts[1], &texts[2], &texts[3], &texts[4]); err != nil {
				t.Fatal(err)
			}
			p.execute(reading, nil)
			row := p.row(5)
			for i, v := range values {
				if texts[i] != v.text() {
					t.Errorf("%s in %d bytes is stored as %s", v.text(), sizes[i], texts[i])
				}
				if row = next(t, v, row); row == nil {
					break
				}
			}
		}
	}
}

// next takes a value off a row: it is v, in whatever length the server has chosen.
func next(t testing.TB, v readTimestamp, row []byte) (rest []byte) {
	t.Helper()
	want := v.packet(row[0])
	if row[0] < v.size() || !bytes.HasPrefix(row, want) {
		t.Errorf("%s comes back as % x", v.text(), row[:min(len(row), 13)])
		return nil
	}
	return row[len(want):]
}

// FuzzTimes: a date and a time sent as numbers come back as the same numbers.
func FuzzTimes(f *testing.F) {
	server, err := NewServer(sqltest.NewCluster("va").Gateway("va"), Config{Root: verifierOf(rootPassword)})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = server.Close() })
	p := &preparer{f, enter(f, server.Addr().String())}
	id := p.prepare("SELECT CAST(? AS DATETIME(6)), CAST(? AS DATE), CAST(? AS TIME(6))")
	f.Add(uint16(2024), uint8(2), uint8(3), uint8(4), uint8(5), uint8(6), uint32(7), uint16(8), true)
	f.Add(uint16(1), uint8(0), uint8(0), uint8(0), uint8(0), uint8(0), uint32(99999), uint16(838), false)
	f.Add(uint16(9999), uint8(11), uint8(27), uint8(23), uint8(59), uint8(59), uint32(100000), uint16(0), true)
	f.Fuzz(func(t *testing.T, year uint16, month, day, hour, minute, second uint8, micro uint32, hours uint16, negative bool) {
		at := readTimestamp{kind: wireDatetime, year: 1 + int(year)%9999, month: 1 + int(month)%12, day: 1 + int(day)%28, hour: int(hour) % 24, minute: int(minute) % 60, second: int(second) % 60, micro: int(micro % 1_000_000)}
		date := readTimestamp{kind: wireDate, year: at.year, month: at.month, day: at.day}
		length := readTimestamp{kind: wireTime, day: int(hours) % 838 / 24, hour: int(hours) % 838 % 24, minute: at.minute, second: at.second, micro: at.micro}
		length.negative = negative && length != readTimestamp{kind: wireTime}
		values := []readTimestamp{at, date, length}
		p := &preparer{t, p.c}
		p.execute(id, values, sizesOf(values)...)
		row := p.row(3)
		for _, v := range values {
			if row = next(t, v, row); row == nil {
				return
			}
		}
	})
}

// A source is sent the same text, and no fraction that is none.
func TestTimesForASource(t *testing.T) {
	cluster := sqltest.NewCluster("va")
	source := cluster.NewRecorder(101, "my", "mysql", txn.SourceTable{Schema: "erp", Name: "moments", Key: []string{"id"},
		Columns: []txn.Column{{Name: "id", Type: "int(11)"}, {Name: "at", Type: "datetime(6)", Null: true}, {Name: "took", Type: "time(6)", Null: true}}})
	server, err := NewServer(cluster.Gateway("va"), Config{Root: verifierOf(rootPassword)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	p := &preparer{t, enter(t, server.Addr().String())}
	for _, text := range []string{"CREATE DATABASE shop", "USE shop", "CALL isochron.import_table('my')"} {
		command(t, p.c, mysql.ComQuery, text)
	}
	source.Answer = rowsOf(nil, []string{})
	id := p.prepare("UPDATE moments SET at = ?, took = ? WHERE id = 1")
	at := readTimestamp{kind: wireDatetime, year: 2024, month: 2, day: 3, hour: 4, minute: 5, second: 6, micro: 7}
	took := readTimestamp{kind: wireTime, negative: true, day: 2, hour: 1, minute: 1, second: 1, micro: 20}
	p.execute(id, []readTimestamp{at, took}, 11, 12)
	packetOf(t, p.c)
	got(t, source, "update erp.moments set `at` = ?, took = ? where id = 1 | "+at.text()+" | "+took.text(), "COMMIT")
	at.micro = 1_000_000
	p.execute(id, []readTimestamp{at, took}, 11, 12)
	if b := packetOf(t, p.c); b[0] != mysql.ErrPacket || binary.LittleEndian.Uint16(b[1:]) != codeWrongDateTime {
		t.Errorf("a million microseconds: %q", b)
	}
	got(t, source)
}
