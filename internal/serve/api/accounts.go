package api

import (
	"cmp"
	"errors"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/report"
)

var errNoStore = &plimsoll.Error{
	Op: "read the store", Code: plimsoll.CodeNotFound, Err: errors.New("nothing is kept here"), Hint: "start the service with a store",
}

// accountsRequest asks what conversations used and saved.
type accountsRequest struct {
	Limit int `json:"limit,omitempty" jsonschema:"How many conversations to list; 0 means 100."`
}

func (o *accountsRequest) do(c *httpCall) (any, error) {
	if c.tenant == nil {
		return nil, errNoStore
	}
	s, err := report.ReadStatement(c.Context(), c.tenant, cmp.Or(o.Limit, 100))
	if err != nil {
		return nil, err
	}
	return s.Accounts(), nil
}

// accountsTotalRequest asks for the sum over all conversations.
type accountsTotalRequest struct{}

func (*accountsTotalRequest) do(c *httpCall) (any, error) {
	if c.tenant == nil {
		return nil, errNoStore
	}
	s, err := report.ReadStatement(c.Context(), c.tenant, 1)
	if err != nil {
		return nil, err
	}
	return s.Accounts().Total, nil
}
