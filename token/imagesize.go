package token

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	_ "image/gif"  // registers the format
	_ "image/jpeg" // registers the format
	_ "image/png"  // registers the format
	"io"
	"strings"
)

// headerBytes is how far into a picture its size is looked for. Cameras put
// large previews before it.
const headerBytes = 512 << 10

// imageSize reads the dimensions from the header of a base64 picture, with or
// without a data: prefix. It returns zeros for what it does not know.
func imageSize(data string) (width, height int) {
	data = payload(data)
	if data == "" {
		return 0, 0
	}
	head := io.LimitReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)), headerBytes)
	var seen bytes.Buffer
	config, _, err := image.DecodeConfig(io.TeeReader(head, &seen))
	if err == nil {
		return config.Width, config.Height
	}
	return webpSize(seen.Bytes())
}

// payload strips a data: URL down to its base64.
func payload(data string) string {
	if strings.HasPrefix(data, "data:") {
		_, data, _ = strings.Cut(data, ",")
	}
	return data
}

func dataBytes(data string) int { return len(payload(data)) / 4 * 3 }

// webpSize reads the three kinds of WebP headers (RFC 9649).
func webpSize(b []byte) (width, height int) {
	if len(b) < 30 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WEBP" {
		return 0, 0
	}
	u16 := binary.LittleEndian.Uint16
	switch string(b[12:16]) {
	case "VP8 ":
		return int(u16(b[26:]) & 0x3fff), int(u16(b[28:]) & 0x3fff)
	case "VP8L":
		bits := binary.LittleEndian.Uint32(b[21:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	case "VP8X":
		return u24(b[24:]) + 1, u24(b[27:]) + 1
	}
	return 0, 0
}

func u24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }
