package sse

import "bytes"

// Append adds an event to dst and returns it, with lines that end in LF. Without a
// name there is no event line. Data is split into data lines at CR, LF and CRLF,
// all of which a reader gives back as LF; no data is an empty data line. Line ends
// in the name are left out, since they would end its line.
func Append(dst []byte, name string, data []byte) []byte {
	if name != "" {
		dst = append(dst, "event: "...)
		for i := range len(name) {
			if c := name[i]; c != '\r' && c != '\n' {
				dst = append(dst, c)
			}
		}
		dst = append(dst, '\n')
	}
	lf, cr := 0, 0
	for from := 0; ; {
		lf, cr = seek(data, max(lf, from), '\n'), seek(data, max(cr, from), '\r')
		end := min(lf, cr)
		dst = append(dst, "data: "...)
		dst = append(dst, data[from:end]...)
		dst = append(dst, '\n')
		if end == len(data) {
			return append(dst, '\n')
		}
		from = end + 1
		if bytes.HasPrefix(data[end:], []byte("\r\n")) {
			from++
		}
	}
}
