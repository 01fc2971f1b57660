package texts

// random is a splitmix64 generator: small, and the same everywhere and for ever,
// which the generators of the standard library do not promise.
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (r *random) below(n int) int { return int(r.next() % uint64(n)) }

func (r *random) between(low, high int) int { return low + r.below(high-low+1) }

func (r *random) chance(percent int) bool { return r.below(100) < percent }

func pick[T any](r *random, list []T) T { return list[r.below(len(list))] }

func (r *random) letters(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.below(len(alphabet))]
	}
	return string(b)
}

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	digits = "0123456789"
	hexa   = "0123456789abcdef"
	base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
)
