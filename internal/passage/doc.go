// Package passage finds what people said in a conversation. [Notes] keeps the sentences
// that carry most within a budget. An [Index] finds the passages that a question needs.
// Both need no model: they rank by rare words, names, numbers, dates and speakers. English
// has word lists; Japanese and other languages without blanks are ranked by pairs of
// characters. The package does not know how its texts are stored or sent.
package passage
