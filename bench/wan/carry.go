package main

import "time"

// packet is one on its way.
type packet struct {
	data []byte
	due  time.Time
}

// inFlight bounds the packets that are on one line; more are lost, as in a
// router whose queue is full.
const inFlight = 20_000

// line is the way from one site to another.
type line struct {
	packets chan packet
	oneWay  time.Duration
}

// carryAll moves packets between the sites until their devices are closed.
func carryAll(sites []*site, oneWay func(from, to *site) time.Duration) {
	for _, from := range sites {
		lines := map[byte]line{}
		for _, to := range sites {
			if to != from {
				l := line{make(chan packet, inFlight), oneWay(from, to)}
				lines[byte(to.number)] = l
				go deliver(l.packets, to)
			}
		}
		go read(from, lines)
	}
}

// read takes packets off a site's device and puts them on the line to their
// destination. Only IPv4 is carried.
func read(from *site, lines map[byte]line) {
	defer func() {
		for _, l := range lines { // order: each is closed by itself
			close(l.packets)
		}
	}()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.device.Read(buf)
		if err != nil {
			return
		}
		if n < 20 || buf[0]>>4 != 4 {
			continue
		}
		if l, ok := lines[buf[19]]; ok {
			select {
			case l.packets <- packet{append([]byte(nil), buf[:n]...), time.Now().Add(l.oneWay)}:
			default:
			}
		}
	}
}

// deliver hands each packet over when it is due.
func deliver(packets chan packet, to *site) {
	for p := range packets {
		if wait := time.Until(p.due); wait > 0 {
			time.Sleep(wait)
		}
		_, _ = to.device.Write(p.data) // refused: lost
	}
}
