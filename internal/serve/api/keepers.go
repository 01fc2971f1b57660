package api

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/plimsoll/plimsoll"
)

// mostKeepers is how many keepers are held at once; each has memories of its own.
const mostKeepers = 32

// keepers holds those that were asked for last.
type keepers struct {
	make func(Settings) (*plimsoll.Keeper, error)

	mu   sync.Mutex
	held []held
}

type held struct {
	key    string
	keeper *plimsoll.Keeper
}

// find returns the keeper for the settings, and makes it where there is none. One for
// a dry run remembers what never was, so it is not kept.
func (k *keepers) find(s Settings) (*plimsoll.Keeper, error) {
	if s.Dry {
		return k.make(s)
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	key := string(text)
	if found := k.use(key, nil); found != nil {
		return found, nil
	}
	made, err := k.make(s)
	if err != nil {
		return nil, err
	}
	return k.use(key, made), nil
}

// use returns the keeper that is held under a key, as the one used last; where there
// is none it holds the one that was made, if any.
func (k *keepers) use(key string, made *plimsoll.Keeper) *plimsoll.Keeper {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := slices.IndexFunc(k.held, func(h held) bool { return h.key == key })
	if at >= 0 {
		made = k.held[at].keeper
		k.held = slices.Delete(k.held, at, at+1)
	}
	if made == nil {
		return nil
	}
	if len(k.held) == mostKeepers {
		k.held = slices.Delete(k.held, 0, 1)
	}
	k.held = append(k.held, held{key, made})
	return made
}
