module github.com/plimsoll/plimsoll/interop

go 1.27

toolchain go1.27.2

require github.com/plimsoll/plimsoll v0.0.0

require (
	github.com/klauspost/cpuid/v2 v2.2.10 // indirect
	github.com/zeebo/xxh3 v1.1.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/plimsoll/plimsoll => ../
