package expr

import (
	"bytes"
	"compress/zlib"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Encryption and compression functions (the manual's 14.13). evalengine computes MD5 and SHA1.

func init() {
	register(
		&Function{Name: "AES_ENCRYPT", Min: 2, Max: 3, Type: binaryType, Nulls: true, Eval: func(c *Call) (Value, error) { return c.aes(true) }},
		&Function{Name: "AES_DECRYPT", Min: 2, Max: 3, Type: binaryType, Nulls: true, Eval: func(c *Call) (Value, error) { return c.aes(false) }},
		&Function{Name: "COMPRESS", Min: 1, Max: 1, Type: binaryType, Eval: compress},
		&Function{Name: "UNCOMPRESS", Min: 1, Max: 1, Type: binaryType, Eval: uncompress},
		&Function{Name: "UNCOMPRESSED_LENGTH", Min: 1, Max: 1, Type: integerType, Eval: uncompressedLength},
		&Function{Name: "MD5", Min: 1, Max: 1, Type: textType, Eval: func(c *Call) (Value, error) { return c.Text(fmt.Sprintf("%x", md5.Sum(c.Native(0)))), nil }},
		sha1Function, alias("SHA", sha1Function),
		&Function{Name: "SHA2", Min: 2, Max: 2, Type: textType, Convert: digestBits, Eval: sha2},
		// Without the component that validates passwords.
		&Function{Name: "VALIDATE_PASSWORD_STRENGTH", Min: 1, Max: 1, Type: integerType, Eval: func(*Call) (Value, error) { return Int(0), nil }},
	)
}

// aesMode is a value of block_encryption_mode.
type aesMode struct {
	keySize int // in bytes
	chain   string
}

// aesMode is the session's; false: there is no such mode.
func (c *Call) aesMode() (m aesMode, ok bool) {
	text := "aes-128-ecb"
	if c.Session != nil {
		if v, _, known := c.Session.Variable("block_encryption_mode", false); known {
			text = strings.ToLower(v.ToString())
		}
	}
	parts := strings.Split(text, "-")
	if len(parts) != 3 || parts[0] != "aes" {
		return m, false
	}
	bits, err := strconv.Atoi(parts[1])
	if err != nil || bits != 128 && bits != 192 && bits != 256 {
		return m, false
	}
	return aesMode{bits / 8, parts[2]}, aesChains[parts[2]] != nil
}

// aesChains encrypt or decrypt; nil: what was to be decrypted is no such text.
var aesChains = map[string]func(b cipher.Block, iv, text []byte, encrypt bool) []byte{
	"ecb": aesECB, "cbc": aesCBC, "cfb1": aesCFB1, "cfb8": aesCFB8, "cfb128": aesCFB128, "ofb": aesOFB,
}

// aes is AES_ENCRYPT or AES_DECRYPT. Bytes that cannot be decrypted are NULL.
func (c *Call) aes(encrypt bool) (Value, error) {
	mode, ok := c.aesMode()
	if !ok {
		return Null, newError(1231, "42000", "Variable 'block_encryption_mode' can't be set to the value of that")
	}
	var iv []byte
	switch {
	case mode.chain == "ecb":
		if len(c.Args) == 3 {
			c.Warn(1618, "<IV> option ignored")
		}
	case len(c.Args) < 3:
		return Null, newError(1582, "42000", "Incorrect parameter count in the call to native function '%s'", strings.ToLower(c.Function.Name))
	case c.IsNull(2) || len(c.Native(2)) < aes.BlockSize:
		return Null, newError(1882, "HY000", "The initialization vector supplied to %s is too short. Must be at least %d bytes long", strings.ToLower(c.Function.Name), aes.BlockSize)
	default:
		iv = c.Native(2)[:aes.BlockSize]
	}
	if c.IsNull(0) || c.IsNull(1) {
		return Null, nil
	}
	text := c.Native(0)
	if c.TooLong(len(text) + aes.BlockSize) {
		return Null, nil
	}
	block, err := aes.NewCipher(aesKey(c.Native(1), mode.keySize))
	if err != nil {
		return Null, newError(1105, "HY000", "%v", err)
	}
	out := aesChains[mode.chain](block, iv, text, encrypt)
	if out == nil {
		return Null, nil
	}
	return c.Bytes(out), nil
}

// aesKey folds a key into the size of the cipher's.
func aesKey(key []byte, size int) []byte {
	out := make([]byte, size)
	for i, b := range key {
		out[i%size] ^= b
	}
	return out
}

// padBlock fills the last block with its number of missing bytes.
func padBlock(text []byte) []byte {
	n := aes.BlockSize - len(text)%aes.BlockSize
	return append(bytes.Clone(text), bytes.Repeat([]byte{byte(n)}, n)...)
}

// unpad is text without what padBlock added; nil: it has no such end.
func unpad(text []byte) []byte {
	if len(text) == 0 {
		return nil
	}
	n := int(text[len(text)-1])
	if n == 0 || n > aes.BlockSize || n > len(text) || !bytes.Equal(text[len(text)-n:], bytes.Repeat([]byte{byte(n)}, n)) {
		return nil
	}
	return text[:len(text)-n]
}

func aesECB(b cipher.Block, _, text []byte, encrypt bool) []byte {
	if encrypt {
		out := padBlock(text)
		for at := 0; at < len(out); at += aes.BlockSize {
			b.Encrypt(out[at:], out[at:])
		}
		return out
	}
	if len(text)%aes.BlockSize != 0 {
		return nil
	}
	out := bytes.Clone(text)
	for at := 0; at < len(out); at += aes.BlockSize {
		b.Decrypt(out[at:], out[at:])
	}
	return unpad(out)
}

func aesCBC(b cipher.Block, iv, text []byte, encrypt bool) []byte {
	if encrypt {
		out := padBlock(text)
		cipher.NewCBCEncrypter(b, iv).CryptBlocks(out, out)
		return out
	}
	if len(text)%aes.BlockSize != 0 {
		return nil
	}
	out := bytes.Clone(text)
	cipher.NewCBCDecrypter(b, iv).CryptBlocks(out, out)
	return unpad(out)
}

// aesCFB128 feeds each encrypted block back, as far as the text goes.
func aesCFB128(b cipher.Block, iv, text []byte, encrypt bool) []byte {
	out := make([]byte, len(text))
	register := bytes.Clone(iv)
	for at := 0; at < len(text); at += aes.BlockSize {
		end := min(at+aes.BlockSize, len(text))
		b.Encrypt(register, register)
		for i := at; i < end; i++ {
			out[i] = text[i] ^ register[i-at]
		}
		if encrypt {
			copy(register, out[at:end])
		} else {
			copy(register, text[at:end])
		}
	}
	return out
}

// aesCFB8 feeds each encrypted byte back.
func aesCFB8(b cipher.Block, iv, text []byte, encrypt bool) []byte {
	out := make([]byte, len(text))
	register, stream := bytes.Clone(iv), make([]byte, aes.BlockSize)
	for i := range text {
		b.Encrypt(stream, register)
		out[i] = text[i] ^ stream[0]
		copy(register, register[1:])
		if register[aes.BlockSize-1] = out[i]; !encrypt {
			register[aes.BlockSize-1] = text[i]
		}
	}
	return out
}

// aesCFB1 feeds each encrypted bit back.
func aesCFB1(b cipher.Block, iv, text []byte, encrypt bool) []byte {
	out := make([]byte, len(text))
	register, stream := bytes.Clone(iv), make([]byte, aes.BlockSize)
	for i := range len(text) * 8 {
		b.Encrypt(stream, register)
		in := text[i/8] >> (7 - i%8) & 1
		bit := in ^ stream[0]>>7
		out[i/8] |= bit << (7 - i%8)
		if !encrypt {
			bit = in
		}
		for j := range register {
			register[j] <<= 1
			if j+1 < len(register) {
				register[j] |= register[j+1] >> 7
			}
		}
		register[aes.BlockSize-1] |= bit
	}
	return out
}

// aesOFB encrypts the stream that encrypting the vector again and again gives.
func aesOFB(b cipher.Block, iv, text []byte, _ bool) []byte {
	out := bytes.Clone(text)
	register := bytes.Clone(iv)
	for i := range out {
		if i%aes.BlockSize == 0 {
			b.Encrypt(register, register)
		}
		out[i] ^= register[i%aes.BlockSize]
	}
	return out
}

// A compressed text has its length in four bytes before it. An empty one is empty.
const (
	prefixSize = 4
	prefixMask = 1<<30 - 1
)

func compress(c *Call) (Value, error) {
	text := c.Native(0)
	if len(text) == 0 {
		return c.Text(""), nil
	}
	var out bytes.Buffer
	_ = binary.Write(&out, binary.LittleEndian, uint32(len(text))&prefixMask)
	w := zlib.NewWriter(&out)
	if _, err := w.Write(text); err != nil {
		return Null, newError(1105, "HY000", "%v", err)
	}
	if err := w.Close(); err != nil {
		return Null, newError(1105, "HY000", "%v", err)
	}
	if out.Bytes()[out.Len()-1] == ' ' {
		out.WriteByte('.') // a column would lose the space
	}
	if c.TooLong(out.Len()) {
		return Null, nil
	}
	return c.Bytes(out.Bytes()), nil
}

// uncompress is UNCOMPRESS; what is no compressed text is NULL, after a warning.
func uncompress(c *Call) (Value, error) {
	b := c.Raw(0)
	if len(b) == 0 {
		return c.Text(""), nil
	}
	if len(b) <= prefixSize {
		return c.corrupted(), nil
	}
	length := int(binary.LittleEndian.Uint32(b) & prefixMask)
	if length > c.maxPacket() {
		c.Warn(1256, fmt.Sprintf("Uncompressed data size too large; the maximum size is %d (probably, length of uncompressed data was corrupted)", c.maxPacket()))
		return Null, nil
	}
	r, err := zlib.NewReader(bytes.NewReader(b[prefixSize:]))
	if err != nil {
		return c.corrupted(), nil
	}
	out, err := io.ReadAll(io.LimitReader(r, int64(length)+1))
	switch {
	case len(out) > length, errors.Is(err, io.ErrUnexpectedEOF):
		c.Warn(1258, "ZLIB: Not enough room in the output buffer (probably, length of uncompressed data was corrupted)")
		return Null, nil
	case err != nil:
		return c.corrupted(), nil
	}
	return c.Bytes(out), nil
}

func (c *Call) corrupted() Value {
	c.Warn(1259, "ZLIB: Input data corrupted")
	return Null
}

func uncompressedLength(c *Call) (Value, error) {
	b := c.Raw(0)
	switch {
	case len(b) == 0:
		return Int(0), nil
	case len(b) <= prefixSize:
		return c.corrupted(), nil
	}
	return Int(int64(binary.LittleEndian.Uint32(b) & prefixMask)), nil
}

var sha1Function = &Function{Name: "SHA1", Min: 1, Max: 1, Type: textType, Eval: func(c *Call) (Value, error) {
	return c.Text(fmt.Sprintf("%x", sha1.Sum(c.Native(0)))), nil
}}

// digestBits warns of a number of bits that SHA2 has not, even of NULL.
func digestBits(c *Call, i int) {
	if i != 1 {
		return
	}
	switch c.Integer(1) {
	case 0, 224, 256, 384, 512:
	default:
		c.Warn(1583, "Incorrect parameters in the call to native function 'sha2'")
	}
}

// sha2 is SHA2 of a number of bits; 0 are 256.
func sha2(c *Call) (Value, error) {
	text := c.Native(0)
	switch c.Integer(1) {
	case 224:
		return c.Text(fmt.Sprintf("%x", sha256.Sum224(text))), nil
	case 0, 256:
		return c.Text(fmt.Sprintf("%x", sha256.Sum256(text))), nil
	case 384:
		return c.Text(fmt.Sprintf("%x", sha512.Sum384(text))), nil
	case 512:
		return c.Text(fmt.Sprintf("%x", sha512.Sum512(text))), nil
	}
	c.Warn(1583, "Incorrect parameters in the call to native function 'sha2'")
	return Null, nil
}
