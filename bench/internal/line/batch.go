package line

import (
	"encoding/binary"
	"errors"
)

var errShort = errors.New("batch ends in the middle of an entry")

// AppendText adds a text to a batch.
func AppendText(batch []byte, text string) []byte {
	batch = binary.LittleEndian.AppendUint32(batch, uint32(len(text)))
	return append(batch, text...)
}

// AppendIDs adds the ids of a text to a batch of ids.
func AppendIDs(batch []byte, ids []uint32) []byte {
	batch = binary.LittleEndian.AppendUint32(batch, uint32(len(ids)))
	for _, id := range ids {
		batch = binary.LittleEndian.AppendUint32(batch, id)
	}
	return batch
}

// Texts returns the texts of a batch.
func Texts(batch []byte) ([]string, error) {
	var texts []string
	for len(batch) > 0 {
		entry, rest, err := entry(batch, 1)
		if err != nil {
			return texts, err
		}
		texts, batch = append(texts, string(entry)), rest
	}
	return texts, nil
}

// IDs returns the ids of each text of a batch of ids.
func IDs(batch []byte) ([][]uint32, error) {
	var all [][]uint32
	for len(batch) > 0 {
		entry, rest, err := entry(batch, 4)
		if err != nil {
			return all, err
		}
		ids := make([]uint32, len(entry)/4)
		for i := range ids {
			ids[i] = binary.LittleEndian.Uint32(entry[4*i:])
		}
		all, batch = append(all, ids), rest
	}
	return all, nil
}

func entry(batch []byte, size int) (entry, rest []byte, err error) {
	if len(batch) < 4 {
		return nil, nil, errShort
	}
	n := int(binary.LittleEndian.Uint32(batch)) * size
	batch = batch[4:]
	if len(batch) < n {
		return nil, nil, errShort
	}
	return batch[:n], batch[n:], nil
}
