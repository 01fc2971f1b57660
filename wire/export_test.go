package wire

// NewPairing lets tests compare a pairing with an outline.
var NewPairing = newPairing
