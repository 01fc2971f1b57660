//go:build !linux

package storage

// freeBytes is what the disk of a folder has room for; 0 if it is not known.
func freeBytes(string) int64 { return 0 }
