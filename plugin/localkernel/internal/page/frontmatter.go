package page

import "bytes"

// Format says how a frontmatter is written.
type Format string

// The formats of a frontmatter: none, between --- lines, between +++ lines.
const (
	FormatNone Format = ""
	FormatYAML Format = "yaml"
	FormatTOML Format = "toml"
)

// Frontmatter is the data at the top of a file. [Start, End) is the whole with
// its fences, without the line end after it; [From, To) is what stands between
// the fences.
type Frontmatter struct {
	Format     Format
	Start, End int
	From, To   int
}

// findFrontmatter looks for a fence on the first line and the one that closes
// it: --- by --- or ..., +++ by +++. What stands between need not be valid.
func findFrontmatter(src []byte, at int) Frontmatter {
	end, next := lineAt(src, at)
	format := fenceFormat(src[at:end])
	if format == FormatNone {
		return Frontmatter{}
	}
	for i := next; i < len(src); {
		end, after := lineAt(src, i)
		if closesFence(src[i:end], format) {
			return Frontmatter{Format: format, Start: at, End: end, From: next, To: i}
		}
		i = after
	}
	return Frontmatter{}
}

func fenceFormat(line []byte) Format {
	switch string(bytes.TrimRight(line, " \t")) {
	case "---":
		return FormatYAML
	case "+++":
		return FormatTOML
	}
	return FormatNone
}

func closesFence(line []byte, format Format) bool {
	line = bytes.TrimRight(line, " \t")
	return fenceFormat(line) == format || format == FormatYAML && string(line) == "..."
}
