package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// site is one namespace and its device.
type site struct {
	number  int
	name    string
	address string
	device  *os.File
}

const (
	subnet = "10.213.77."
	mtu    = "9000"
)

// newSite makes a namespace; if it fails half-way, it returns the created part with the error.
func newSite(number int) (*site, error) {
	s := &site{
		number: number, address: subnet + strconv.Itoa(number),
		name: fmt.Sprintf("wan%d-%d", os.Getpid(), number),
	}
	if err := ip("netns", "add", s.name); err != nil {
		return nil, err
	}
	fd, err := openTUN(s.name, "wan0")
	if err != nil {
		return s, fmt.Errorf("a TUN device cannot be had: %w", err)
	}
	s.device = os.NewFile(uintptr(fd), s.name)
	return s, errors.Join(
		ip("-n", s.name, "link", "set", "lo", "up"),
		ip("-n", s.name, "addr", "add", s.address+"/24", "dev", "wan0"),
		ip("-n", s.name, "link", "set", "wan0", "mtu", mtu, "txqueuelen", "10000", "up"))
}

// remove ends what runs at the site and takes the site away.
func (s *site) remove() error {
	if s.device != nil {
		s.device.Close()
	}
	out, _ := exec.Command("ip", "netns", "pids", s.name).Output()
	for _, word := range strings.Fields(string(out)) {
		if pid, err := strconv.Atoi(word); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	return ip("netns", "del", s.name)
}

func ip(args ...string) error {
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// openTUN opens a device inside a namespace. The descriptor works from any.
func openTUN(namespace, device string) (fd int, err error) {
	done := make(chan struct{})
	go func() { // its thread enters the namespace, and ends with the goroutine
		defer close(done)
		runtime.LockOSThread()
		fd, err = openTUNHere(namespace, device)
	}()
	<-done
	return fd, err
}

func openTUNHere(namespace, device string) (int, error) {
	ns, err := os.Open("/run/netns/" + namespace)
	if err != nil {
		return 0, err
	}
	defer ns.Close()
	if err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); err != nil {
		return 0, fmt.Errorf("entering the namespace %s: %w", namespace, err)
	}
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return 0, fmt.Errorf("opening /dev/net/tun: %w", err)
	}
	req, err := unix.NewIfreq(device)
	if err == nil {
		req.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, req)
	}
	if err != nil {
		return 0, errors.Join(fmt.Errorf("making the device: %w", err), unix.Close(fd))
	}
	return fd, nil
}
