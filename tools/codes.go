package tools

// Code is a stable error code: one meaning each, never renamed (kernel-api,
// "Error codes").
type Code string

// The closed set of codes.
const (
	CodeNotFound             Code = "mnote_tool_not_found"
	CodeRetired              Code = "mnote_tool_retired"
	CodeDisabled             Code = "mnote_tool_disabled"
	CodeInvalidArgs          Code = "mnote_tool_invalid_args"
	CodeMissingContext       Code = "mnote_tool_missing_context"
	CodeUnauthenticated      Code = "mnote_tool_unauthenticated"
	CodePermissionDenied     Code = "mnote_tool_permission_denied"
	CodeResourceDenied       Code = "mnote_tool_resource_denied"
	CodeNotWired             Code = "mnote_tool_not_wired"
	CodePageProtected        Code = "mnote_tool_page_protected"
	CodeDocumentNotFound     Code = "mnote_tool_document_not_found"
	CodeConflict             Code = "mnote_tool_conflict"
	CodeIdempotencyConflict  Code = "mnote_tool_idempotency_conflict"
	CodePayloadTooLarge      Code = "mnote_tool_payload_too_large"
	CodeTimeout              Code = "mnote_tool_timeout"
	CodeCancelled            Code = "mnote_tool_cancelled"
	CodeConfirmationRequired Code = "mnote_tool_confirmation_required"
	CodeConfirmationDeclined Code = "mnote_tool_confirmation_declined"
	CodeInvalidBlock         Code = "mnote_tool_invalid_block"
	CodeRateLimited          Code = "mnote_tool_rate_limited"
	CodeKernelUnavailable    Code = "mnote_kernel_unavailable"
	CodeContractViolation    Code = "mnote_kernel_contract_violation"
	CodeInternal             Code = "mnote_internal"
)

// codes lists every code; Known and the tests walk it.
var codes = map[Code]bool{
	CodeNotFound: true, CodeRetired: true, CodeDisabled: true, CodeInvalidArgs: true,
	CodeMissingContext: true, CodeUnauthenticated: true, CodePermissionDenied: true,
	CodeResourceDenied: true, CodeNotWired: true, CodePageProtected: true,
	CodeDocumentNotFound: true, CodeConflict: true, CodeIdempotencyConflict: true,
	CodePayloadTooLarge: true, CodeTimeout: true, CodeCancelled: true,
	CodeConfirmationRequired: true, CodeConfirmationDeclined: true, CodeInvalidBlock: true,
	CodeRateLimited: true, CodeKernelUnavailable: true, CodeContractViolation: true,
	CodeInternal: true,
}

// Known reports whether the code is one of ours. A kernel's message is shown
// only beside a known code.
func (c Code) Known() bool { return codes[c] }
