package peer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"slices"
	"time"

	"isochron/txn"
)

// lifetime of certificates. Machines' clocks may differ by clockSlack.
const (
	lifetime   = 10 * 365 * 24 * time.Hour
	clockSlack = time.Hour
)

// Name is the name in a node's certificate; only that node of that cluster may use it.
func Name(cluster string, node txn.NodeID) string {
	return fmt.Sprintf("node%d.%s.isochron", node, cluster)
}

// Authority signs the certificates of one cluster.
type Authority struct {
	cluster string
	cert    *x509.Certificate
	der     []byte
	key     *ecdsa.PrivateKey
}

// NewAuthority creates a cluster's authority.
func NewAuthority(cluster string) (*Authority, error) {
	template, err := certificate(cluster, "isochron cluster "+cluster)
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid, template.MaxPathLenZero = true, true, true
	template.KeyUsage = x509.KeyUsageCertSign
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &Authority{cluster, cert, der, key}, err
}

// LoadAuthority reads the authority's files, of which nodes have only the first.
func LoadAuthority(cluster, certFile, keyFile string) (*Authority, error) {
	if err := CheckSecret(keyFile); err != nil {
		return nil, fmt.Errorf("the key of the cluster's certificate cannot be used: %w", err)
	}
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("the authority's certificate %s and key %s cannot be used: %w", certFile, keyFile, err)
	}
	cert, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		return nil, fmt.Errorf("the authority's certificate %s cannot be read: %w", certFile, err)
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok || !cert.IsCA || !slices.Contains(cert.Subject.Organization, cluster) {
		return nil, fmt.Errorf("%s is not the authority of cluster %s: use the ca.crt and ca.key that init wrote", certFile, cluster)
	}
	return &Authority{cluster, cert, pair.Certificate[0], key}, nil
}

// PEM returns the authority's certificate, which every node has, and its key, which no node needs: it is used to
// add nodes.
func (a *Authority) PEM() (cert, key []byte, err error) { return encodePEM(a.der, a.key) }

// Issue creates a node's certificate and key.
func (a *Authority) Issue(node txn.NodeID) (cert, key []byte, err error) {
	name := Name(a.cluster, node)
	template, err := certificate(a.cluster, name)
	if err != nil {
		return nil, nil, err
	}
	template.DNSNames = []string{name}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	return a.sign(template)
}

// IssueServer creates the certificate and key that authenticate a server at these hosts, names or addresses, to
// clients without certificates.
func (a *Authority) IssueServer(name string, hosts []string) (cert, key []byte, err error) {
	template, err := certificate(a.cluster, name)
	if err != nil {
		return nil, nil, err
	}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, h)
		}
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	return a.sign(template)
}

func (a *Authority) sign(template *x509.Certificate) (cert, key []byte, err error) {
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &secret.PublicKey, a.key)
	if err != nil {
		return nil, nil, err
	}
	return encodePEM(der, secret)
}

func certificate(cluster, name string) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{Organization: []string{cluster}, CommonName: name},
		NotBefore:    now.Add(-clockSlack), NotAfter: now.Add(lifetime),
	}, nil
}

func encodePEM(der []byte, secret *ecdsa.PrivateKey) (cert, key []byte, err error) {
	raw, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		return nil, nil, err
	}
	cert = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return cert, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}), nil
}

// Credentials are a node's certificate and the authority it trusts.
type Credentials struct {
	cluster string
	node    txn.NodeID
	own     tls.Certificate
	roots   *x509.CertPool
}

// LoadCredentials reads a node's files and checks that they belong to this node of this cluster and are valid
// today.
func LoadCredentials(cluster string, node txn.NodeID, caFile, certFile, keyFile string) (*Credentials, error) {
	ca, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("the cluster's certificate cannot be read: %w", err)
	}
	c := &Credentials{cluster: cluster, node: node, roots: x509.NewCertPool()}
	if !c.roots.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("%s holds no certificate: use the ca.crt that init wrote", caFile)
	}
	if err := CheckSecret(keyFile); err != nil {
		return nil, fmt.Errorf("the node's key cannot be used: %w", err)
	}
	if c.own, err = tls.LoadX509KeyPair(certFile, keyFile); err != nil {
		return nil, fmt.Errorf("the node's certificate %s and key %s cannot be used: %w", certFile, keyFile, err)
	}
	if c.own.Leaf, err = x509.ParseCertificate(c.own.Certificate[0]); err != nil {
		return nil, fmt.Errorf("the node's certificate %s cannot be read: %w", certFile, err)
	}
	if want := Name(cluster, node); !slices.Contains(c.own.Leaf.DNSNames, want) {
		return nil, fmt.Errorf("the certificate %s belongs to %s, and this node is %s: use this node's certificate", certFile, nameOf(c.own.Leaf), want)
	}
	_, err = c.own.Leaf.Verify(x509.VerifyOptions{Roots: c.roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	if err != nil {
		return nil, fmt.Errorf("the certificate %s is not valid under %s: %w", certFile, caFile, err)
	}
	return c, nil
}

// nameOf returns the name in a certificate.
func nameOf(cert *x509.Certificate) string {
	if len(cert.DNSNames) > 0 {
		return cert.DNSNames[0]
	}
	return cert.Subject.CommonName
}

// accepting is the TLS configuration of accepted connections. The peer's name is checked against its hello.
func (c *Credentials) accepting() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{c.own},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: c.roots,
		SessionTicketsDisabled: true, // a resumed session would miss a change of the authority
	}
}

// dialing is the TLS configuration of connections to a node; it accepts only that node.
func (c *Credentials) dialing(to txn.NodeID) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{c.own},
		RootCAs: c.roots, ServerName: Name(c.cluster, to),
	}
}

// identify checks that the peer's certificate on an accepted connection belongs to the claimed node.
func (c *Credentials) identify(state tls.ConnectionState, claimed txn.NodeID) error {
	if len(state.PeerCertificates) == 0 {
		return errors.New("it presented no certificate")
	}
	leaf := state.PeerCertificates[0]
	if !slices.Contains(leaf.DNSNames, Name(c.cluster, claimed)) {
		return fmt.Errorf("it claims to be node %d, and its certificate belongs to %s", claimed, nameOf(leaf))
	}
	return nil
}
