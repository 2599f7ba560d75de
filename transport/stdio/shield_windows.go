package stdio

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// Shield leaves other processes of the same user no more rights over this one
// than to wait for it, to end it and to ask for its exit code; to read its memory
// and environment is none of them. OW takes from them the owner's right to give
// themselves more. Administrators with the right to debug are not kept out.
func Shield() error {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return err
	}
	const left = windows.SYNCHRONIZE | windows.PROCESS_TERMINATE | windows.PROCESS_QUERY_LIMITED_INFORMATION
	sd, err := windows.SecurityDescriptorFromString(fmt.Sprintf(
		"D:P(A;;0x%x;;;%s)(A;;0x%x;;;SY)(A;;0x%x;;;OW)", left, user.User.Sid, left, windows.READ_CONTROL))
	if err != nil {
		return err
	}
	acl, _, err := sd.DACL()
	if err != nil {
		return err
	}
	return windows.SetSecurityInfo(windows.CurrentProcess(), windows.SE_KERNEL_OBJECT,
		windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, acl, nil)
}
