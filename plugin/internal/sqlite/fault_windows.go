package sqlite

import "golang.org/x/sys/windows"

// noSpace is what the system says of a full disk.
const noSpace = windows.ERROR_DISK_FULL
