package acp

import "strings"

// Methods of ACP that the pumps look for; every other passes unread.
const (
	methodInitialize    = "initialize"
	methodNew           = "session/new"
	methodLoad          = "session/load"
	methodResume        = "session/resume"
	methodFork          = "session/fork"
	methodClose         = "session/close"
	methodDelete        = "session/delete"
	methodPrompt        = "session/prompt"
	methodCancel        = "session/cancel"
	methodUpdate        = "session/update"
	methodPermission    = "session/request_permission"
	methodCancelRequest = "$/cancel_request"
)

// Methods of our own, from the client to the host.
const (
	ownMethods          = "_mnote/"
	methodContextUpdate = "_mnote/context/update"
	methodScopeUpdate   = "_mnote/scope/update"
)

// methodProxy is how a conductor would make us one of its proxies (draft RFD
// proxy-chains), which an agent that starts its successor itself is not. The agent
// would take the question for its own.
const methodProxy = "proxy/initialize"

// forUs reports whether the host answers a method and the agent never sees it.
func forUs(method string) bool { return strings.HasPrefix(method, ownMethods) || method == methodProxy }

// Members of _meta that are ours.
const (
	metaSession = "mnote/session"
	metaScope   = "mnote/scope"
	metaContext = "mnote/context"
	metaMNote   = "mnote"
)

// setsUp reports whether a request sets up a session: then our server goes in.
func setsUp(method string) bool {
	switch method {
	case methodNew, methodLoad, methodResume, methodFork:
		return true
	}
	return false
}

// reopens reports whether a setup names the session that it is for, so that it
// is known before the answer; its replay comes before the answer too.
func reopens(method string) bool { return method == methodLoad || method == methodResume }
