package sqlite

import (
	"context"
	"errors"

	lib "modernc.org/sqlite/lib"

	"github.com/mnote-dev/mnote-host/tools"
)

// IsBusy reports whether another connection held the lock for too long.
func IsBusy(err error) bool { return is(err, lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_PROTOCOL) }

// IsCorrupt reports whether the file is damaged or no database.
func IsCorrupt(err error) bool { return is(err, lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB) }

// IsFull reports whether the disk took no more.
func IsFull(err error) bool { return is(err, lib.SQLITE_FULL) || errors.Is(err, noSpace) }

// waits reports whether to try again is worth while: another connection holds the
// lock. What was read before it held it is not the reason.
func waits(err error) bool {
	e, ok := errors.AsType[*fault](err)
	return ok && e.code&0xff == lib.SQLITE_BUSY && e.code != lib.SQLITE_BUSY_SNAPSHOT
}

// isNoTransaction reports whether a ROLLBACK found nothing to undo.
func isNoTransaction(err error) bool {
	e, ok := errors.AsType[*fault](err)
	return ok && e.code == lib.SQLITE_ERROR
}

// is compares the primary result code: extended ones hold it in the low byte.
func is(err error, codes ...int) bool {
	e, ok := errors.AsType[*fault](err)
	if !ok {
		return false
	}
	for _, c := range codes {
		if e.code&0xff == c {
			return true
		}
	}
	return false
}

// Coded gives a state file's failure the code that a caller is to see:
// mnote_kernel_unavailable with the reason busy (the lock was held until the
// deadline), storage (a full or failing disk) or no_state (nothing usable
// there). What is coded already passes through.
func Coded(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*tools.Error](err); ok {
		return err
	}
	if errors.Is(err, context.Canceled) {
		return tools.Errorf(tools.CodeCancelled, cancelled).Because(err)
	}
	text, reason := noState, "no_state"
	switch newer, ok := errors.AsType[*NewerError](err); {
	case ok:
		return tools.Errorf(tools.CodeKernelUnavailable, tooNew, newer.Have, newer.Known).With("reason", reason).Because(err)
	case IsBusy(err), errors.Is(err, context.DeadlineExceeded):
		text, reason = busy, "busy"
	case IsFull(err), is(err, lib.SQLITE_IOERR), errors.Is(err, errUnsynced):
		text, reason = storage, "storage"
	}
	return tools.Errorf(tools.CodeKernelUnavailable, text).With("reason", reason).Because(err)
}

// What people read; set here once and never changed.
var (
	cancelled = tools.Text{ZH: "调用已被取消；没有写入任何内容", EN: "the call was cancelled; nothing was written"}
	busy      = tools.Text{
		ZH: "状态文件此刻正忙（另一个 mnote-host 进程，或同时太多写入）；没有写入任何内容，请稍后重试",
		EN: "the state file is busy (another mnote-host process, or too many writes at once); nothing was written, try again later",
	}
	storage = tools.Text{
		ZH: "状态目录所在的磁盘已满或出错；没有写入任何内容。腾出空间后重试",
		EN: "the disk of the state folder is full or failing; nothing was written. Free some space and try again",
	}
	tooNew = tools.Text{
		ZH: "状态文件的版本是 %d，本程序只认识到 %d：不能写入，读取仍然可用。请升级 mnote-host",
		EN: "the state file has version %d and this program knows up to %d: nothing can be written, reading still works. Update mnote-host",
	}
	noState = tools.Text{
		ZH: "没有可用的状态目录，不能写入；读取仍然可用。请用 --state（或 MNOTE_HOST_STATE）指定一个可写的本地文件夹",
		EN: "there is no usable state folder, so nothing can be written; reading still works. Name a local folder that you may write with --state (or MNOTE_HOST_STATE)",
	}
)
