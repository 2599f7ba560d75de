// Package page reads one Markdown file as byte ranges and edits it by splice:
// bytes in, bytes out, nothing else. It knows no folder, no database and no
// tool; localkernel asks it what an edit would give and writes the answer.
//
// A Page is one parsed file and never changes. Its bytes are a BOM, a
// frontmatter, and a body of Blocks with gaps (blank lines) between them; put
// together they are the file, byte for byte. A Block has a type and an id made
// of its content, so an id can never hit text that changed. The text of a block
// leaves out its block markup, its source is its exact bytes.
//
// An Edit is what a change would give: the new Page, what changed, and a
// summary for a dry run. Every edit is a splice, and is proven: the new bytes
// are split again and every block that was not named must have kept its bytes
// and its type, else the edit is refused and no byte changes.
//
// A section is a heading with what stands below it, up to the next heading of
// its level or a higher one. A window is a part of a page that fits a reply; a
// cursor says where the next one starts, and holds for these bytes only.
package page
