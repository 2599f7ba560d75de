package vault

import "golang.org/x/sys/unix"

// swapNames swaps two names of a folder in one step.
func swapNames(dir int, a, b string) error {
	return unix.Renameat2(dir, a, dir, b, unix.RENAME_EXCHANGE)
}

// moveName renames within a folder unless the new name is taken.
func moveName(dir int, from, to string) error {
	return unix.Renameat2(dir, from, dir, to, unix.RENAME_NOREPLACE)
}
