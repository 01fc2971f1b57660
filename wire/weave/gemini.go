package weave

import (
	"encoding/json"

	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

type geminiLoom struct{}

func (geminiLoom) reply(bool, func(string) bool) Reply { return nil }

func (geminiLoom) results([]Result) ([]json.RawMessage, error) { return nil, nil }

func (geminiLoom) beside([]Result) ([]json.RawMessage, error) { return nil, nil }

func (geminiLoom) put(*wire.Request, int, []json.RawMessage) ([]rawjson.Edit, bool) {
	return nil, false
}
