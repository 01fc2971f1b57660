package plimsoll

// Ref names stored content that stands outside the conversation: a tool output,
// an archived span. Its id is unguessable and says nothing about the content.
type Ref struct {
	ID string `json:"id"`
	// Bytes is the size of the content in UTF-8.
	Bytes int64 `json:"byte_size"`
	// Lines is the number of lines, counting a last one without a newline.
	Lines int64 `json:"line_count"`
}
