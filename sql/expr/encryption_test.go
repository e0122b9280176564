package expr

import (
	"testing"

	"vitess.io/vitess/go/mysql/collations"
)

// modeSession is a session with a block_encryption_mode.
type modeSession struct {
	fakeSession
	mode string
}

func (s *modeSession) Variable(string, bool) (Value, Type, bool) {
	c := &Context{Collation: collations.CollationUtf8mb4BinID}
	call := Call{Context: c, Out: textType(nil, c)}
	return call.Text(s.mode), call.Out, true
}

// The expected texts are of openssl enc with the same key and vector.
func TestAESModes(t *testing.T) {
	const key, iv = "0123456789abcdef0123456789abcdef", "fedcba9876543210"
	for mode, want := range map[string]string{
		"aes-128-cbc":    "F3C1C434524A13D49BD3ACD847C4E8623E0DF9FD5796AB371C035D499727E06A",
		"aes-128-cfb1":   "467D902B21BB70C8E4884FAC955ADA12A29733",
		"aes-128-cfb8":   "7FE34CC0D0EBE56092B1AB305DC43BF3579F2D",
		"aes-128-cfb128": "7F23B3518705166AD318A1A4A56B041D3865FB",
		"aes-128-ofb":    "7F23B3518705166AD318A1A4A56B041D2EEB58",
		"aes-192-cbc":    "B235B4F770E1FFDA3CFCAF9B93856CC005D7DDA0C90DA748876C25E3F3A9600B",
		"aes-192-cfb1":   "ABA52BCB34D8F467C16F3F48FF3EC67E1B24AF",
		"aes-192-cfb8":   "8E79F09E7AFA3177BFAB4A9AA4BFA96E9D1E52",
		"aes-192-cfb128": "8E2F2A46B86E84CF2E4F2A930B824EF41E58E0",
		"aes-192-ofb":    "8E2F2A46B86E84CF2E4F2A930B824EF4386F4F",
		"aes-256-cbc":    "DC33A21B94D0A6A07D2E1CE8D97A60AA2922CB2470878D079D03863D2ACFB1C6",
		"aes-256-cfb1":   "F5092427BBB655B06405AD6CD11CFA58C0C109",
		"aes-256-cfb8":   "AADFE6DC0B8F3B607DCEF6EFD334C48D0E9C91",
		"aes-256-cfb128": "AA301E7FBD8527D7190484E855F7D93C185532",
		"aes-256-ofb":    "AA301E7FBD8527D7190484E855F7D93CBDA1D9",
	} {
		c := testContext()
		c.Session = &modeSession{mode: mode}
		k := key[:map[string]int{"aes-128": 16, "aes-192": 24, "aes-256": 32}[mode[:7]]]
		if got := answered("HEX(AES_ENCRYPT('the quick brown fox', '"+k+"', '"+iv+"'))", c); got != want {
			t.Errorf("%s: %s, expected %s", mode, got, want)
		}
		if got := answered("AES_DECRYPT(AES_ENCRYPT('the quick brown fox', '"+k+"', '"+iv+"'), '"+k+"', '"+iv+"')", c); got != "the quick brown fox" {
			t.Errorf("%s: decrypted %s", mode, got)
		}
		for text, want := range map[string]string{
			"AES_ENCRYPT('a', 'k')": "error 1582", "AES_ENCRYPT('a', 'k', 'short')": "error 1882", "AES_DECRYPT('a', 'k', NULL)": "error 1882",
			"AES_ENCRYPT(NULL, 'k', '0123456789abcdef')": "NULL",
		} {
			if got := answered(text, c); got != want {
				t.Errorf("%s: %s: %s, expected %s", mode, text, got, want)
			}
		}
	}
}
