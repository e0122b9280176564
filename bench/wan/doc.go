// Command wan runs a command among several network namespaces that have the
// delays of a wide-area network between them: a WAN on one machine for programs
// that know nothing of it.
//
// How it works. Every site is a namespace with a TUN device. The kernel hands
// each packet to this program, which holds it for the one-way delay of its two
// sites and writes it to the device of the other. Nothing is lost or reordered
// but by queues that are full; loopback inside a site is untouched.
//
// What its caller owes it: root, and a command that runs its parts with
// `ip netns exec`. The command finds the sites in its environment: WAN_SITES, and
// for each site i WAN_NS_i and WAN_IP_i. When it ends, the namespaces are removed,
// with every process still in them.
package main
