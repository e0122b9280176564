package legacy

import (
	"fmt"

	"github.com/dolthub/vitess/go/mysql"
)

// Sha2Iterations are those of a new verifier of caching_sha2_password, in thousands.
const Sha2Iterations = mysql.DefaultCachingSha2PasswordHashIterations

// Sha2Verifier is a password as caching_sha2_password stores it.
func Sha2Verifier(password string, salt []byte, iterations int) (string, error) {
	b, err := mysql.SerializeCachingSha2PasswordAuthString(password, salt, iterations)
	return string(b), err
}

// NewSha2Verifier is a password as caching_sha2_password stores it, with a new salt.
func NewSha2Verifier(password string) (string, error) {
	salt, err := mysql.NewSalt()
	if err != nil {
		return "", err
	}
	return Sha2Verifier(password, salt, Sha2Iterations)
}

// ReadSha2Verifier are the parts of a stored password that its proof needs.
func ReadSha2Verifier(verifier string) (iterations int, salt []byte, err error) {
	digest, iterations, salt, _, err := mysql.DeserializeCachingSha2PasswordAuthString([]byte(verifier))
	if err == nil && digest != "SHA256" {
		err = fmt.Errorf("a verifier of the digest %s", digest)
	}
	return iterations, salt, err
}

// ProvesSha2 reports whether an answer to a salt proves a password of which the hash of the hash is given.
func ProvesSha2(answer, salt, hash []byte) bool {
	return mysql.VerifyHashedCachingSha2Password(answer, salt, hash)
}

// ProvesNative reports whether an answer to a salt proves a password that is stored as mysql_native_password has it.
func ProvesNative(answer, salt []byte, verifier string) bool {
	stored, err := mysql.DecodeMysqlNativePasswordHex(verifier)
	return err == nil && len(stored) == 20 && len(answer) == 20 && mysql.VerifyHashedMysqlNativePassword(answer, salt, stored)
}
