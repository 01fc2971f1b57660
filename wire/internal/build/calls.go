package build

// OpenCalls are the calls that the next results answer, for APIs in which a result need
// not have the id of its call. The zero value has none.
type OpenCalls struct {
	calls []openCall
	// first is the first call that has no result.
	first int
	// named leads from ids and names to calls. It is made for the first result that does
	// not answer the first call.
	named map[string][]int
	// closed says that something came behind the calls that ends the wait for results when
	// the next call comes.
	closed bool
}

type openCall struct {
	id, name string
	answered bool
}

// idKey is how an id is written in OpenCalls.named; no function has such a name.
func idKey(id string) string { return "#" + id }

// Close says that the next call begins another round.
func (o *OpenCalls) Close() { o.closed = true }

// Ask adds a call. After Close, it ends the wait for the earlier ones.
func (o *OpenCalls) Ask(id, name string) {
	if o.closed {
		*o = OpenCalls{calls: o.calls[:0]}
	}
	o.calls = append(o.calls, openCall{id: id, name: name})
	if o.named != nil {
		o.name(len(o.calls) - 1)
	}
}

func (o *OpenCalls) name(i int) {
	c := o.calls[i]
	o.named[idKey(c.id)] = append(o.named[idKey(c.id)], i)
	o.named[c.name] = append(o.named[c.name], i)
}

// Answer returns the id and the name of the call that a result answers: the one with its
// id, or its name, or else the first. If no call is open, it returns those of the result.
func (o *OpenCalls) Answer(id, name string) (callID, callName string) {
	for o.first < len(o.calls) && o.calls[o.first].answered {
		o.first++
	}
	if o.first == len(o.calls) {
		return id, name
	}
	c := &o.calls[o.first]
	if c.id != id || c.name != name {
		c = &o.calls[o.find(id, name)]
	}
	c.answered = true
	return c.id, c.name
}

// find returns the call with the id, or the name, or else the first.
func (o *OpenCalls) find(id, name string) int {
	if o.named == nil {
		o.named = map[string][]int{}
		for i := o.first; i < len(o.calls); i++ {
			o.name(i)
		}
	}
	keys := []string{idKey(id), name}
	if id == "" {
		keys = keys[1:]
	}
	for _, key := range keys {
		for len(o.named[key]) > 0 {
			at := o.named[key][0]
			o.named[key] = o.named[key][1:]
			if !o.calls[at].answered {
				return at
			}
		}
	}
	return o.first
}
