module github.com/mnote-dev/mnote-host/proofs

go 1.26
