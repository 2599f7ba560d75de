package main

import "github.com/mnote-dev/mnote-host/transport/stdio"

// secret reports whether this process was started with a secret: in its
// environment, or in a file that it will read.
func (v values) secret() bool {
	for _, s := range settings {
		if s.secret && v.get(s.name) != "" {
			return true
		}
	}
	return v.get("kernel-token-file") != ""
}

// shield closes this process to others of the same user, the agent above all: it
// holds what they may not have.
func (p *program) shield() {
	if err := stdio.Shield(); err != nil {
		p.log.Warn().Err(err).Msg(p.say("不能把本进程的内存对其它进程关上", "this process's memory cannot be closed to others"))
	}
}
