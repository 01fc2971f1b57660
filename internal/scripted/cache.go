package scripted

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

const (
	// leastPrefix is the shortest prefix that a prompt cache serves, in tokens.
	leastPrefix = 1024
	// cacheLinks is how many prefixes are remembered before all are forgotten.
	cacheLinks = 1 << 18
)

// promptCache remembers the prefixes of requests, message by message, as providers
// do for each key and model.
type promptCache struct {
	links map[cacheLink]struct{}
}

type cacheLink struct {
	scope string
	link  plimsoll.Digest
}

// take returns how many tokens of a request stand at the beginning of an earlier one,
// and remembers the request.
func (p *promptCache) take(scope string, r *wire.Request, load plimsoll.Load) int {
	chain := r.Chain()
	shared := -1
	for i, link := range chain {
		if _, ok := p.links[cacheLink{scope, link}]; !ok {
			break
		}
		shared = i
	}
	if p.links == nil || len(p.links) > cacheLinks {
		p.links = map[cacheLink]struct{}{}
	}
	for _, link := range chain {
		p.links[cacheLink{scope, link}] = struct{}{}
	}
	if shared < 0 {
		return 0
	}
	read := load.System + load.Tools
	for _, m := range load.Messages[:shared] {
		read += m.Tokens
	}
	if read < leastPrefix {
		return 0
	}
	return read
}
