package api

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

// eraseConversationRequest deletes a conversation.
type eraseConversationRequest struct{}

func (*eraseConversationRequest) do(c *httpCall) (any, error) { return c.purge(c.PathValue("id")) }

// eraseTenantRequest deletes all that the tenant has.
type eraseTenantRequest struct {
	Yes bool `json:"yes" jsonschema:"Must be true: nothing of it comes back. Required."`
}

func (o *eraseTenantRequest) do(c *httpCall) (any, error) {
	if !o.Yes {
		return nil, optionError("yes", errMissing, "add yes=true: nothing of it comes back")
	}
	return c.purge("")
}

func (c *httpCall) purge(conversation string) (any, error) {
	if c.tenant == nil {
		return nil, errNoStore
	}
	purged, err := c.tenant.Purge(c.Context(), conversation)
	if err == nil && purged == (store.Purged{}) {
		err = &plimsoll.Error{Op: "delete", Code: plimsoll.CodeNotFound, Err: store.ErrGone, Hint: "GET accounts lists conversations"}
	}
	return purged, err
}
