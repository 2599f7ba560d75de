package stdio

import (
	"golang.org/x/sys/windows"
)

// awaitParent closes gone when pid, the process that started this one, is gone. A
// parent that cannot be opened, or whose id already belongs to a younger
// process, is not watched: stdin tells its end.
func awaitParent(pid int, gone chan<- struct{}, stopped <-chan struct{}) {
	parent, err := windows.OpenProcess(windows.SYNCHRONIZE|windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return
	}
	defer func() { _ = windows.CloseHandle(parent) }()
	if !startedBefore(parent, windows.CurrentProcess()) {
		return
	}
	const tick = 500 // milliseconds between looks at stopped
	for {
		event, err := windows.WaitForSingleObject(parent, tick)
		select {
		case <-stopped:
			return
		default:
		}
		switch {
		case err != nil:
			return
		case event == windows.WAIT_OBJECT_0:
			close(gone)
			return
		}
	}
}

// startedBefore reports whether process a is older than b.
func startedBefore(a, b windows.Handle) bool {
	made := func(h windows.Handle) (ns int64, ok bool) {
		var created, exited, kernel, user windows.Filetime
		err := windows.GetProcessTimes(h, &created, &exited, &kernel, &user)
		return created.Nanoseconds(), err == nil
	}
	atA, okA := made(a)
	atB, okB := made(b)
	return okA && okB && atA <= atB
}
