package peer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An expired certificate is refused when it is loaded.
func TestExpiredCertificate(t *testing.T) {
	a, err := NewAuthority("aa")
	if err != nil {
		t.Fatal(err)
	}
	template, err := certificate("aa", Name("aa", 1))
	if err != nil {
		t.Fatal(err)
	}
	template.DNSNames = []string{Name("aa", 1)}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	template.NotBefore, template.NotAfter = time.Now().Add(-2*time.Hour), time.Now().Add(-time.Minute)
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &secret.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := encodePEM(der, secret)
	if err != nil {
		t.Fatal(err)
	}
	ca, _, err := a.PEM()
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	dir := t.TempDir()
	for _, f := range []struct {
		name string
		b    []byte
	}{{"ca", ca}, {"cert", cert}, {"key", key}} {
		paths = append(paths, filepath.Join(dir, f.name))
		if err := os.WriteFile(filepath.Join(dir, f.name), f.b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err = LoadCredentials("aa", 1, paths[0], paths[1], paths[2])
	if err == nil || !strings.Contains(err.Error(), "expired") || !strings.Contains(err.Error(), paths[1]) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v; want one line with the file's name and the expiry", err)
	}
}
