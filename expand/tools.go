package expand

import "github.com/plimsoll/plimsoll"

const (
	toolRead = "tool_output_cache"
	toolGrep = "tool_output_cache_grep"
)

const readSchema = `{"type":"object","properties":{` +
	`"ref_id":{"type":"string","description":"The id behind ref= in the placeholder."},` +
	`"offset":{"type":"integer","minimum":0,"description":"First line to read, counted from 0. Default 0."},` +
	`"limit":{"type":"integer","minimum":1,"description":"How many lines to read. Default: as many as fit into the answer."},` +
	`"char_offset":{"type":"integer","minimum":0,"description":"Read inside the one line at offset, from this character on. For lines that were cut."},` +
	`"char_limit":{"type":"integer","minimum":1,"description":"How many characters of that line to read. Default 10000."}` +
	`},"required":["ref_id"]}`

const grepSchema = `{"type":"object","properties":{` +
	`"ref_id":{"type":"string","description":"The id behind ref= in the placeholder."},` +
	`"pattern":{"type":"string","description":"Text to find in a line."},` +
	`"regex":{"type":"boolean","description":"Whether the pattern is a regular expression (RE2 syntax). Default false."},` +
	`"ignore_case":{"type":"boolean","description":"Whether upper and lower case are the same. Default false."},` +
	`"before":{"type":"integer","minimum":0,"description":"Lines to show before each match. Default 0."},` +
	`"after":{"type":"integer","minimum":0,"description":"Lines to show after each match. Default 0."},` +
	`"max_matches":{"type":"integer","minimum":1,"description":"How many matches to show. Default 50."},` +
	`"offset":{"type":"integer","minimum":0,"description":"Line to begin at, counted from 0. Default 0."}` +
	`},"required":["ref_id","pattern"]}`

// Tools returns the declarations of the tools, always the same and in the same
// order.
func Tools() []plimsoll.Tool {
	return []plimsoll.Tool{
		{
			Name: toolRead, Schema: readSchema,
			Description: "Reads an earlier tool output, or another part of this conversation, that was stored outside to save room and stands here as a placeholder with a ref. Returns numbered lines.",
		},
		{
			Name: toolGrep, Schema: grepSchema,
			Description: "Searches an earlier tool output, or another part of this conversation, that was stored outside to save room and stands here as a placeholder with a ref. Returns the matching lines with their numbers.",
		},
	}
}
