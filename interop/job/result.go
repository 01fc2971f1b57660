package job

// Result is what the model can say of a job.
type Result struct {
	// Steps that were done, of Of.
	Steps, Of int
	// Repeated is how often a step had to be asked for again.
	Repeated int
	// Context are the marks that stood before the model when the last file was read,
	// Back those that the cache tools gave back.
	Context, Back Set
	// Refs are the references that stood before the model then.
	Refs []string
	// Last is the number of the call in which the last file was there. What came after
	// it was no work but a look at what is left.
	Last int
	// Hidden is how many requests brought answers of the cache tools.
	Hidden int
	// Offered says that the cache tools were offered in the end.
	Offered bool
	// Failures of the cache tools, in their words.
	Failures []string
}

// Result returns what has become of the job so far.
func (j *Job) Result() Result {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := Result{
		Steps: j.done, Of: j.steps, Repeated: j.again, Hidden: j.hidden, Offered: j.offered,
		Context: Set{}, Back: Set{}, Failures: append([]string(nil), j.failed...),
		Refs: append([]string(nil), j.before...), Last: j.last,
	}
	r.Context.Add(j.context)
	r.Back.Add(j.back)
	return r
}
