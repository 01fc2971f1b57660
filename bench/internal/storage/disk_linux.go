package storage

import "golang.org/x/sys/unix"

// freeBytes is what the disk of a folder has room for; 0 if it is not known.
func freeBytes(dir string) int64 {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return 0
	}
	return int64(s.Bavail) * s.Bsize
}
