package hf

// InChunks returns t with rows of more than n symbols merged n at a time.
func InChunks(t *Tokenizer, n int) *Tokenizer {
	w := &worker{t: t.tables, memo: newMemo(), merger: merger{chunk: n}}
	return &Tokenizer{tables: t.tables, workers: &workers{idle: []*worker{w}}, options: t.options}
}

// Widest returns how many symbols the idle worker of a tokenizer has room for at once.
func Widest(t *Tokenizer) int { return cap(t.workers.idle[0].merger.merges) }
