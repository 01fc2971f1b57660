// Package quality measures what is left of a long conversation after it was made to
// fit: whether the prompt still has what a later question needs. It uses two kinds of
// data, and neither is part of the repository: the chats of LoCoMo with questions whose
// evidence people marked, and recorded Japanese dialogues.
//
// It asks no model. It says that a text is in the prompt, not that a model answers.
package quality
