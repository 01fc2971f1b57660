// Package config finds out what an operator wants: one [Settings] filled from
// flags, the environment, files, a preset and defaults, in that order of
// precedence, with the [Origin] of every value.
//
// It knows what values are possible, and nothing of what is done with them. A
// setting is a field of Settings with its tags; key, variable, default, check and
// documentation follow from it, so that a new one is written in one place.
//
// # Mistakes
//
// A file that cannot be read or parsed, an unknown key and one of a removed setting
// are errors: a typing mistake must not be silent. A value that is not possible is a
// [Problem] for the log, and the next source decides; only one that was given by a
// flag is an error, since the user who typed it can correct it.
//
// # Files
//
// The file that is named (--config, else PLIMSOLL_CONFIG) is read and no other.
// Without one, plimsoll.yaml of the current directory is read and, below it, the
// user's own: plimsoll/plimsoll.yaml in XDG_CONFIG_HOME, else in ~/.config, on
// Windows in AppData.
//
// A user who runs a program in a directory does not vouch for its files. So
// the settings that make the program open other files or addresses (those with
// the tag "reach") are not taken from a file that was merely found in the current
// directory: a cloned repository can choose how its conversations
// are shortened, and can make the program read or call nothing. No setting runs a
// program.
package config
