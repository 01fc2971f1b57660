package pattern

import "testing"

func TestACostlyPatternIsRefusedBeforeItCostsAnything(t *testing.T) {
	t.Parallel()
	for source, fine := range map[string]bool{
		`(?i)never delete: \d+`:                 true,
		`\b(invoice|order) \d{4}-\d{2,8}`:       true,
		`^TODO.*$`:                              true,
		`(?:\pL|\pN|\w){1000}z`:                 false,
		`(?:(?:(?:a?){10}){10}){10}`:            false,
		`(?:ab|cd|ef|gh){60}`:                   false,
		`(((((((((((x{9}){9}){9}){9}){9}){9}))`: false, // not even an expression
	} {
		if re, err := Compile(source); (err == nil) != fine || (re != nil) != fine {
			t.Errorf("%s: %v", source, err)
		}
	}
}
