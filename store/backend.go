package store

import (
	"context"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
)

// TenantID names a tenant in a backend: a keyed hash of whatever the tenant is
// known by. Credentials never come here.
type TenantID [16]byte

// ChunkID names a chunk: the keyed hash of its content.
type ChunkID [32]byte

// Chunk is a piece of content as it is kept.
type Chunk struct {
	ID ChunkID
	// Data is the compressed content.
	Data []byte
	// Size of the content before compression.
	Size int
}

// Extent says where a chunk stands in an object.
type Extent struct {
	Chunk ChunkID
	// Offset is the first byte of the chunk in the object, Line the number of line
	// ends before it.
	Offset, Line int64
	// Size of the chunk's content, Lines the line ends in it.
	Size, Lines int
}

// Kind says what an object holds.
type Kind string

const (
	// KindText is a text, such as a tool output.
	KindText Kind = "text"
	// KindParts is content with pictures, documents or unknown parts.
	KindParts Kind = "parts"
	// KindSpan is an archived span of messages.
	KindSpan Kind = "span"
)

// Object is what a reference stands for.
type Object struct {
	// ID of the reference.
	ID   string
	Kind Kind
	// Bytes and Lines of the text, as in [plimsoll.Ref]. Lines is one more than the
	// line ends in it: what is behind the last one is a line, even if it is empty.
	Bytes, Lines int64
	// Stored is how many bytes its chunks have in the object. It is more than Bytes
	// for [KindParts], where what is not text follows the text.
	Stored int64
	// Note says where it is from, for people: "read_file".
	Note          string
	Created, Used time.Time
	// Damaged says that it was found to be broken. Writing it again repairs it.
	Damaged bool
}

// Decision is what was decided for the prefix of a conversation, or another record that
// belongs to a place in one.
type Decision struct {
	// Key is the link of the prefix in its identity chain. Records of different kinds
	// must have different keys.
	Key plimsoll.Digest
	// Kind says what is recorded; empty means a decision of the engine. Others have the
	// same retention, and are not counted by Stats.
	Kind string
	// Body is opaque to the store.
	Body []byte
	// Refs are the references that the decision needs.
	Refs []string
	// Conversation is the id of the conversation, as in its account; empty if it is not
	// known.
	Conversation  string
	Created, Used time.Time
}

// Stats says what a tenant, or everybody, has stored.
type Stats struct {
	Objects int64 `json:"objects"`
	Chunks  int64 `json:"chunks"`
	// Decisions is the number of the engine's decisions.
	Decisions int64 `json:"decisions"`
	// Bytes is the sum of the objects' Stored, Compressed what all chunks take, those
	// that Sweep would delete too.
	Bytes      int64 `json:"bytes"`
	Compressed int64 `json:"compressed"`
}

// Backend keeps rows. All methods are safe for concurrent use, by several processes
// too. What is not there is [plimsoll.ErrNotFound]; what cannot be had now is
// [ErrUnavailable]; what is broken is [ErrCorrupt]. A method that returned without
// an error has made its change durable; one that failed has changed nothing. A context
// that has ended gives its own error.
//
// Texts are valid UTF-8 without NUL. Times are kept to the microsecond. Objects come
// with their times; for the rest a backend's own clock says what is now, and it may
// leave the time of use of a chunk or a decision alone that is less than a minute old.
type Backend interface {
	// Secret returns the store's key, made at random when the store was.
	Secret(ctx context.Context) ([32]byte, error)

	// Write adds chunks, and an object with all its extents if there is one, in one
	// transaction. Chunks that are there already stay as they are, but count as used
	// now. An object that is there already stays as it is, with its extents, but
	// counts as used at Object.Used. What is marked as damaged is replaced, of an
	// object all but when it was created and its note, and is not marked any more. It
	// returns [ErrMissingChunk] if an extent names a chunk that is not there.
	Write(ctx context.Context, tenant TenantID, chunks []Chunk, object *Object, extents []Extent) error
	// HasChunks reports which of the chunks are there and not marked as damaged.
	HasChunks(ctx context.Context, tenant TenantID, ids []ChunkID) ([]bool, error)
	// Object returns an object.
	Object(ctx context.Context, tenant TenantID, id string) (Object, error)
	// ExtentsAt returns at most limit extents of an object in order, from the one
	// that holds the byte at the offset on; none if there is no such byte.
	ExtentsAt(ctx context.Context, tenant TenantID, id string, offset int64, limit int) ([]Extent, error)
	// ExtentsAtLine returns at most limit extents from the last one on that begins
	// before line n does, so that the line's first byte is in them; n counts from 0.
	// For a line behind the last one that is the last extent.
	ExtentsAtLine(ctx context.Context, tenant TenantID, id string, n int64, limit int) ([]Extent, error)
	// Chunk returns a chunk.
	Chunk(ctx context.Context, tenant TenantID, id ChunkID) (Chunk, error)
	// Touch marks objects as used, never as used earlier than they were. Those that
	// are not there are passed over.
	Touch(ctx context.Context, tenant TenantID, ids []string, at time.Time) error
	// Objects lists a tenant's objects, newest first, at most limit, behind the one
	// with the given id if it is not empty, which must be there.
	Objects(ctx context.Context, tenant TenantID, after string, limit int) ([]Object, error)
	// MarkDamaged marks an object, and chunks of it, as damaged, so that the next Write
	// replaces them. What is not there is passed over.
	MarkDamaged(ctx context.Context, tenant TenantID, id string, chunks []ChunkID) error
	// Delete takes objects out. Their chunks stay until Sweep.
	Delete(ctx context.Context, tenant TenantID, ids []string) (int, error)
	// Tenants lists the tenants that have objects or accounts.
	Tenants(ctx context.Context) ([]TenantID, error)

	// PutDecision adds or replaces a decision. What it refers to need not be there.
	PutDecision(ctx context.Context, tenant TenantID, d Decision) error
	// FindDecision returns the decision of the first of the keys that has one, and
	// marks it as used.
	FindDecision(ctx context.Context, tenant TenantID, keys []plimsoll.Digest) (Decision, error)
	// DeleteDecisions takes decisions out.
	DeleteDecisions(ctx context.Context, tenant TenantID, keys []plimsoll.Digest) (int, error)

	// AddAccount adds figures to the conversations' accounts, all of them or none; First and Last widen, and
	// Model is that of the figures with the greatest Last.
	AddAccount(ctx context.Context, tenant TenantID, accounts ...account.Account) error
	// Accounts lists accounts, the last used first, at most limit, behind the given
	// conversation if it is not empty, which must be there.
	Accounts(ctx context.Context, tenant TenantID, after string, limit int) ([]account.Account, error)

	// PutValue keeps a small value under a name, for settings that are learned.
	PutValue(ctx context.Context, name string, value []byte) error
	// Value returns it.
	Value(ctx context.Context, name string) ([]byte, error)

	// Lease gives the holder the right to something until it expires or is given
	// up; false if another one has it. The holder can have it again, for longer.
	Lease(ctx context.Context, name, holder string, life time.Duration) (bool, error)
	// Release gives a lease up, if the holder has it.
	Release(ctx context.Context, name, holder string) error

	// Expired lists objects of all tenants that were last used before a time and that
	// no decision refers to that was used since; oldest first.
	Expired(ctx context.Context, before time.Time, limit int) ([]Owned, error)
	// Oldest lists objects of all tenants, the longest unused first, those that
	// decisions refer to last.
	Oldest(ctx context.Context, limit int) ([]Owned, error)
	// Unreferenced lists objects that were last used before a time and that no
	// decision refers to; oldest first.
	Unreferenced(ctx context.Context, before time.Time, limit int) ([]Owned, error)
	// Evict takes out those of the listed objects that were not used since they were
	// listed: whose Used is still the same. It returns how many.
	Evict(ctx context.Context, objects []Owned) (int, error)
	// ExpiredDecisions counts what ExpireDecisions would delete.
	ExpiredDecisions(ctx context.Context, before time.Time) (int, error)
	// ExpireDecisions deletes decisions of all kinds that were last used before a time.
	ExpireDecisions(ctx context.Context, before time.Time) (int, error)
	// Sweep deletes chunks that no object names and that were last used before a
	// time, and frees their space. It works in small steps; one that failed may have
	// deleted some.
	Sweep(ctx context.Context, before time.Time) (Swept, error)
	// Erase clears what Sweep and Purge deleted from the backend's files, if these only freed
	// its space. The store cannot be used meanwhile.
	Erase(ctx context.Context) error
	// Purge takes out all that a tenant has, or all tenants if that is nil: objects,
	// decisions, accounts, leases and values whose names have the tenant's hexadecimal id in
	// them. If a conversation is named, it takes out the decisions and the account of that
	// conversation, and the objects that only these decisions refer to. Chunks stay until
	// Sweep. One that failed may have deleted some.
	Purge(ctx context.Context, tenant *TenantID, conversation string) (Purged, error)
	// Stats counts; of all tenants if tenant is nil.
	Stats(ctx context.Context, tenant *TenantID) (Stats, error)

	// Check reads everything and returns what is broken.
	Check(ctx context.Context) ([]string, error)
	// Close ends it. Nothing may be called afterwards.
	Close() error
}

// Owned is an object with its tenant.
type Owned struct {
	Tenant TenantID
	Object Object
}

// Purged counts what was deleted.
type Purged struct {
	Objects   int64 `json:"objects"`
	Decisions int64 `json:"decisions"`
	Accounts  int64 `json:"accounts"`
	Values    int64 `json:"values"`
}

// Swept says what a sweep deleted.
type Swept struct {
	Chunks int64 `json:"chunks"`
	Bytes  int64 `json:"bytes"`
}
