package page

import "github.com/mnote-dev/mnote-host/tools"

// The words of details.reason. Each stands for one fault.
const (
	reasonAmbiguous       = "ambiguous_target"
	reasonBlockNotFound   = "block_not_found"
	reasonChangesBlocks   = "would_change_blocks"
	reasonControl         = "control_character"
	reasonContentEmpty    = "content_empty"
	reasonCursorInvalid   = "cursor_invalid"
	reasonCursorStale     = "cursor_stale"
	reasonEncoding        = "encoding"
	reasonFrontmatter     = "frontmatter_invalid"
	reasonFrontmatterEdit = "frontmatter_edit"
	reasonFrontmatterForm = "frontmatter_unsupported"
	reasonFrontmatterType = "frontmatter_type"
	reasonModeUnknown     = "mode_unknown"
	reasonPartOfBlock     = "part_of_block"
	reasonPlaceInvalid    = "place_invalid"
	reasonReadOnlyItem    = "read_only_item"
	reasonTargetNotFound  = "target_not_found"
	reasonTitleInvalid    = "title_invalid"
	reasonTitleTooLong    = "title_too_long"
	reasonTooLarge        = "page_too_large"
	reasonUnsupported     = "unsupported_format"
	reasonWrongType       = "wrong_type"
)

// refuse makes the error of a fault: a code, a reason for machines and a text
// for people. Page text goes into details only, never into a message: messages
// are logged.
func refuse(code tools.Code, reason string, text tools.Text, args ...any) *tools.Error {
	return tools.Errorf(code, text, args...).With("reason", reason)
}
