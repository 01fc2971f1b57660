package api

import "reflect"

// Operation says what there is to call.
type Operation struct {
	Method string
	// Path, in which {id} stands for a reference.
	Path string
	// Options are their names.
	Options []string
}

// Operations lists what there is to call.
func Operations() []Operation {
	var all []Operation
	for _, o := range operations() {
		var options []string
		for _, f := range optionsOf(reflect.TypeOf(o.request).Elem()) {
			options = append(options, optionName(f))
		}
		all = append(all, Operation{o.method, Root + o.path, options})
	}
	return all
}
