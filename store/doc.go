// Package store keeps what was taken out of conversations, so that nothing is lost:
// tool outputs and archived spans under unguessable references, the decisions that
// were made for a prefix, and what conversations used and saved.
//
// It has two layers. A [Backend] keeps rows: chunks of content, objects, decisions,
// accounts. There are two of them, in packages sqlite and postgres, and one suite
// that both pass, in storetest. A [Store] is what everybody else uses; it cuts
// content into chunks by what they contain, compresses them, names them by a keyed
// hash, and verifies every byte that it gives back.
//
// Everything belongs to a tenant, see [Store.Tenant]. Nothing that one tenant
// stored can be named, read, counted or found out by another: references and names
// of chunks are made with a key that only the tenant has, and a reference of
// another tenant answers exactly like one that never was.
//
// # Reading
//
// An object knows at which byte and at which line each of its chunks begins, so
// that reading lines N to M of a gigabyte takes the chunks that hold them and no
// other. Searching goes through the chunks one by one. Both take constant memory.
//
// # Writing
//
// Chunks are written as they come, the object last. A reference is handed out when
// the object is committed, so a marker in a conversation always resolves. Chunks
// that no object names (of a writer that died) are collected later.
//
// The package knows no wire format and no policy.
package store
