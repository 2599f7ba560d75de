module github.com/mnote-dev/mnote-host/interop

go 1.26
