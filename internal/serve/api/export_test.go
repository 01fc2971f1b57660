package api

// Operation says what there is to call.
type Operation struct {
	Method string
	// Path, in which {id} stands for a reference.
	Path string
	// Options are their names.
	Options []string
}

// Operations lists what there is to call.
func (h *Handler) Operations() []Operation {
	var all []Operation
	for _, r := range h.routes {
		all = append(all, Operation{r.method, Root + r.path, r.wishes})
	}
	return all
}
