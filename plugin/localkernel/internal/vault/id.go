package vault

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ID is a document's path from the root: segments joined by /, in Unicode NFC.
type ID string

// The longest id and the longest segment, in bytes.
const (
	maxID      = 1024
	maxSegment = 255
)

// ParseID reads a path that a caller gave. It touches no file. What cannot be
// the path of a document is a *Denied.
func ParseID(s string) (ID, error) {
	if reason := refuseWhole(s); reason != "" {
		return "", &Denied{Reason: reason}
	}
	id := norm.NFC.String(s)
	for segment := range strings.SplitSeq(id, "/") {
		if reason := refuseSegment(segment); reason != "" {
			return "", &Denied{Reason: reason}
		}
	}
	return ID(id), nil
}

var (
	driveForm  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z]:`) })
	schemeForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://|^(?i:file):`) })
)

// refuseWhole looks at a path as one string.
func refuseWhole(s string) string {
	switch {
	case s == "":
		return "empty"
	case len(s) > maxID:
		return "too_long"
	case !utf8.ValidString(s):
		return "encoding"
	case strings.ContainsRune(s, 0):
		return "nul"
	case strings.ContainsFunc(s, isControl):
		return "control"
	case strings.HasPrefix(s, `\\`), strings.HasPrefix(s, "//"):
		return "unc"
	case strings.HasPrefix(s, "/"):
		return "absolute"
	case strings.Contains(s, ":") && schemeForm().MatchString(s):
		return "uri"
	case strings.Contains(s, ":") && driveForm().MatchString(s):
		return "drive"
	case strings.Contains(s, `\`):
		return "backslash"
	}
	return refusePercent(s)
}

func isControl(r rune) bool { return r < 0x20 || r == 0x7f }

// escape is one percent-encoded byte that, decoded by anybody on the way, would
// make the path another one: a control character, a dot, a slash, a backslash,
// a colon, or a percent sign that hides any of these.
var escape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)%(25)*([01][0-9a-f]|2e|2f|5c|3a|7f)`)
})

// refusePercent refuses encoded forms of what refuseWhole refuses. Nothing here
// decodes a path, so any other percent sign is part of a name.
func refusePercent(s string) string {
	if strings.Contains(s, "%") && escape().MatchString(s) {
		return "percent"
	}
	return ""
}

// refuseSegment looks at one name of a path.
func refuseSegment(name string) string {
	switch {
	case name == "":
		return "empty"
	case name == ".":
		return "dot"
	case name == "..":
		return "parent"
	case len(name) > maxSegment:
		return "too_long"
	case isReserved(name):
		return "reserved"
	}
	return refuseNative(name)
}

var devices = []string{
	"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$",
	"COM0", "COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9", "COM¹", "COM²", "COM³",
	"LPT0", "LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9", "LPT¹", "LPT²", "LPT³",
}

// isReserved reports whether Windows takes the name for a device, whatever
// follows its first dot. It is refused everywhere: notes travel.
func isReserved(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	return slices.Contains(devices, strings.ToUpper(strings.TrimRight(stem, " ")))
}

// Kind is what a file of the workspace is to the tools.
type Kind string

// The kinds; KindOther is no document of ours.
const (
	KindPage    Kind = "page"
	KindMindmap Kind = "mindmap"
	KindOffice  Kind = "office"
	KindFolder  Kind = "folder"
	KindOther   Kind = ""
)

// KindOf tells a file's kind by its name.
func KindOf(name string) Kind {
	name = strings.ToLower(path.Base(name))
	switch path.Ext(name) {
	case ".md":
		return KindPage
	case ".json":
		if strings.HasSuffix(name, ".mindmap.json") {
			return KindMindmap
		}
	case ".docx", ".xlsx", ".pptx":
		return KindOffice
	}
	return KindOther
}
