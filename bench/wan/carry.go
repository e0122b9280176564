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

// carryAll moves packets between the sites until their devices are closed.
func carryAll(sites []*site, oneWay time.Duration) {
	for _, from := range sites {
		lines := map[byte]chan packet{}
		for _, to := range sites {
			if to != from {
				line := make(chan packet, inFlight)
				lines[byte(to.number)] = line
				go deliver(line, to)
			}
		}
		go read(from, lines, oneWay)
	}
}

// read takes packets off a site's device and puts them on the line to their
// destination. Only IPv4 is carried.
func read(from *site, lines map[byte]chan packet, oneWay time.Duration) {
	defer func() {
		for _, l := range lines { // order: each is closed by itself
			close(l)
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
		if line := lines[buf[19]]; line != nil {
			select {
			case line <- packet{append([]byte(nil), buf[:n]...), time.Now().Add(oneWay)}:
			default:
			}
		}
	}
}

// deliver hands each packet over when it is due.
func deliver(line chan packet, to *site) {
	for p := range line {
		if wait := time.Until(p.due); wait > 0 {
			time.Sleep(wait)
		}
		_, _ = to.device.Write(p.data) // refused: lost
	}
}
