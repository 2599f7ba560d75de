package schema

// Canonical gives the JSON of v with sorted keys, no blanks and numbers digit
// for digit, for hashing and forwarding. v is what Decode gives, JSON bytes, or
// a value encoding/json can write; anything else gives nil.
func Canonical(v any) []byte { return nil }
