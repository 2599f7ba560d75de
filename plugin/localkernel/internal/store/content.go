package store

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// HashOf gives the content hash of bytes: sha256: and the hex digits.
func HashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// packFrom is the size from which packing is tried.
const packFrom = 256

// PutContent keeps bytes and gives their hash. What is there already stays.
func (t *Tx) PutContent(data []byte) (string, error) {
	hash := HashOf(data)
	if has, err := t.HasContent(hash); has || err != nil {
		return hash, err
	}
	kept, packed := pack(data)
	return hash, t.exec(`INSERT INTO content (hash, size, packed, bytes) VALUES (?, ?, ?, ?)`, hash, len(data), packed, kept)
}

// HasContent reports whether bytes of that hash are kept.
func (t *Tx) HasContent(hash string) (bool, error) {
	var one int
	return t.one(`SELECT 1 FROM content WHERE hash = ?`, []any{hash}, &one)
}

// Content gives the bytes of a hash; ok is false where they are not kept.
func (t *Tx) Content(hash string) (data []byte, ok bool, err error) {
	var kept []byte
	var packed bool
	var size int
	ok, err = t.one(`SELECT bytes, packed, size FROM content WHERE hash = ?`, []any{hash}, &kept, &packed, &size)
	if err != nil || !ok || !packed {
		return kept, ok, err
	}
	data, err = unpack(kept, size)
	return data, err == nil, err
}

// pack deflates bytes where that saves at least an eighth.
func pack(data []byte) (kept []byte, packed bool) {
	if len(data) < packFrom {
		return nonNil(data), false
	}
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestSpeed) // the level is a known one
	_, _ = w.Write(data)                         // into memory: cannot fail
	_ = w.Close()
	if b.Len() > len(data)-len(data)/8 {
		return data, false
	}
	return b.Bytes(), true
}

func unpack(kept []byte, size int) ([]byte, error) {
	data := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err := data.ReadFrom(io.LimitReader(flate.NewReader(bytes.NewReader(kept)), int64(size)+1))
	return data.Bytes(), err
}

// nonNil keeps an empty blob from becoming NULL.
func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// dropContent forgets bytes that nothing needs any more.
func (t *Tx) dropContent(hash string) error {
	return t.exec(`DELETE FROM content WHERE hash = ?1
		AND NOT EXISTS (SELECT 1 FROM revision WHERE hash = ?1)
		AND NOT EXISTS (SELECT 1 FROM command WHERE before = ?1 OR after = ?1)
		AND NOT EXISTS (SELECT 1 FROM plan WHERE result_hash = ?1)
		AND NOT EXISTS (SELECT 1 FROM node WHERE hash = ?1)
		AND NOT EXISTS (SELECT 1 FROM intent WHERE before = ?1 OR after = ?1)`, hash)
}
