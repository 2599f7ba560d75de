package capabilities

// Fallback gives the manifest shipped with the host: the tools that the seeds
// name, used until a remote kernel's first answer.
func Fallback() Manifest { return Manifest{} }
