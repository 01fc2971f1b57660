package sqlite

// SQLite overwrites what is deleted, but not what it has moved: when rows of a page
// are spread over its neighbours, the bytes that they leave behind stay in the unused
// part of the page. Pages that hold nothing but the rest of a long row ("overflow")
// are never shared and are overwritten when they are freed. So content is kept there
// and only there: behind padding that fills the part of the row which stands in a
// shared page, and with a length that keeps that part as short as it can be.

const (
	pageSize = 4096
	// padding is the least that SQLite keeps of a long row in a shared page.
	padding = (pageSize-12)*32/255 - 23
	// perPage is what an overflow page holds.
	perPage = pageSize - 4
)

// sealed returns data in the form in which it is kept: the only blob of a row whose
// key is an integer.
func sealed(data []byte) []byte {
	pages := (len(data) + 16 + perPage - 1) / perPage
	for ; ; pages++ {
		// The row begins with a header: its own size, the key, the type of the blob.
		for header := 4; header <= 7; header++ {
			size := padding + pages*perPage - header
			if size >= padding+len(data) && header == 2+varint(2*size+12) {
				row := make([]byte, size)
				copy(row[padding:], data)
				return row
			}
		}
	}
}

// varint returns how many bytes SQLite needs for a number.
func varint(n int) int {
	size := 1
	for n >>= 7; n > 0; n >>= 7 {
		size++
	}
	return size
}

// unsealed returns the data, of a size that is known from elsewhere.
func unsealed(row []byte, size int64) ([]byte, error) {
	if size < 0 || int64(len(row)) < padding+size {
		return nil, broken("content of %d bytes is cut off", size)
	}
	return row[padding : padding+size : padding+size], nil
}
