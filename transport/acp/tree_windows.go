package acp

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// tree is the agent's process and all that it started: a job, which the system
// ends when the last handle to it is closed, and that is ours.
type tree struct{ job windows.Handle }

var resumeProcess = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")

// start starts the process stopped, puts it into a job, and lets it run: so
// nothing that it starts escapes.
func (t *tree) start(cmd *exec.Cmd) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		_ = windows.CloseHandle(job)
		return err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NO_WINDOW}
	if err := cmd.Start(); err != nil {
		_ = windows.CloseHandle(job)
		return err
	}
	t.job = job
	if err := enter(job, uint32(cmd.Process.Pid)); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return err
	}
	return nil
}

// enter puts a stopped process into a job and lets it run.
func enter(job windows.Handle, pid uint32) error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE|windows.PROCESS_SUSPEND_RESUME, false, pid)
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(h) }()
	if err := windows.AssignProcessToJobObject(job, h); err != nil {
		return err
	}
	if status, _, _ := resumeProcess.Call(uintptr(h)); status != 0 {
		return errors.New("the agent's process could not be resumed")
	}
	return nil
}

// signal has no counterpart here but the end of stdin, which came before.
func (t *tree) signal(os.Signal) {}

// kill ends every process of the job.
func (t *tree) kill() { _ = windows.TerminateJobObject(t.job, 1) }

// terminate has no polite form here.
func (t *tree) terminate() {}

// exitCode is the process's own.
func exitCode(s *os.ProcessState) int {
	if s == nil {
		return 1
	}
	return s.ExitCode()
}

// signalName has nothing to name here.
func signalName(*os.ProcessState) string { return "" }

// ExitError is the exit code of an agent that was run in the place of this
// process.
type ExitError int

// Error says that the agent ended.
func (ExitError) Error() string { return "the agent ended" }

// Become runs the agent on this terminal and gives its exit code as an
// ExitError: a process cannot be replaced here.
func Become(argv, env []string, out *os.File) error {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return err
	}
	if path, argv, err = thisDisk().unshim(path, argv); err != nil {
		return err
	}
	cmd := &exec.Cmd{Path: path, Args: argv, Env: env, Stdin: os.Stdin, Stdout: out, Stderr: os.Stderr}
	if err := cmd.Run(); cmd.ProcessState == nil {
		return err
	}
	return ExitError(cmd.ProcessState.ExitCode())
}

// IsTerminal reports whether a person sits at the file.
func IsTerminal(f *os.File) bool {
	var mode uint32
	return windows.GetConsoleMode(windows.Handle(f.Fd()), &mode) == nil
}
