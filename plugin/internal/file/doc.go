// Package file replaces one small file so that a reader, another process or a
// power cut sees the old bytes or the new ones, never a mix, and lets processes
// take turns by locking a file.
//
// It knows no format and no folder of its own.
package file
