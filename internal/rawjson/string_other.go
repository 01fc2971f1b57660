//go:build !amd64 || purego

package rawjson

func skipText(data []byte, i int) (end int, escaped bool) { return skipTextPortable(data, i) }
