package localkernel

import (
	"errors"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// coded gives a fault of the folder its code; what is coded already, and what
// is no fault of the folder, passes through.
func coded(err error) error {
	denied, isDenied := errors.AsType[*vault.Denied](err)
	readOnly, isReadOnly := errors.AsType[*vault.ReadOnly](err)
	_, isChanged := errors.AsType[*vault.Changed](err)
	_, isStorage := errors.AsType[*vault.Storage](err)
	switch {
	case isDenied:
		return errorIn(tools.CodeResourceDenied, textDeniedPath, reasonWord(denied.Reason)).With("reason", denied.Reason)
	case isReadOnly:
		return errorIn(tools.CodePermissionDenied, textReadOnly, reasonWord(readOnly.Reason)).
			With("reason", "read_only").With("cause", readOnly.Reason)
	case isChanged:
		return tools.Errorf(tools.CodeConflict, textChanged).With("reason", "changed")
	case isStorage:
		return tools.Errorf(tools.CodeKernelUnavailable, textStorage).With("reason", "storage").Because(err)
	case errors.Is(err, vault.ErrNotFound):
		return notFound()
	case errors.Is(err, vault.ErrIgnored):
		return tools.Errorf(tools.CodeResourceDenied, textIgnored).With("reason", "ignored")
	case errors.Is(err, vault.ErrTwins):
		return tools.Errorf(tools.CodeResourceDenied, textTwins).With("reason", vault.ReasonTwins)
	case errors.Is(err, vault.ErrIgnoreFile):
		return tools.Errorf(tools.CodeKernelUnavailable, textIgnoreFile).With("reason", "ignore_file").Because(err)
	case errors.Is(err, vault.ErrExists):
		return tools.Errorf(tools.CodeConflict, textExists).With("reason", "exists")
	case errors.Is(err, vault.ErrGone):
		return tools.Errorf(tools.CodeKernelUnavailable, textGone).With("reason", "workspace_gone")
	case errors.Is(err, vault.ErrTooLarge):
		return tools.Errorf(tools.CodePayloadTooLarge, textTooLarge).With("limit", maxPage)
	}
	return err
}

// notFound is said alike of what does not exist, is ignored, or is outside the
// grant.
func notFound() error { return tools.Errorf(tools.CodeDocumentNotFound, textNoDocument) }
