package vault

import "path"

// Missing counts the folders of a path on the disk that are not there yet.
func (f *Folder) Missing(rel string) (int, error) {
	_, names, err := f.missing(path.Dir(rel))
	return len(names), f.fault(err)
}

// Sweep takes away the last most folders of a path on the disk, the innermost
// first, as long as they are empty. What cannot be taken away stays.
func (f *Folder) Sweep(rel string, most int) {
	for dir := path.Dir(rel); most > 0 && dir != "."; dir, most = path.Dir(dir), most-1 {
		info, err := f.root.Lstat(dir)
		if err != nil || !info.IsDir() || f.root.Remove(dir) != nil {
			return
		}
	}
}
