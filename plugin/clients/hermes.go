package clients

// hermes is Hermes Agent as an MCP client (0.19 and later). It does not say who it is:
// its clientInfo is the SDK's default.
func hermes() Client {
	return Client{
		Name:     "hermes",
		Title:    "Hermes Agent",
		AgentID:  "hermes",
		ToolName: "mcp__{server}__{tool}",
		Limits: Limits{
			ToolName:    64, // 0.19 breaks every turn of the session on a longer one
			Tools:       0,
			Description: 0,
			Result:      50000, // longer results go to a file, the model sees a preview
			Line:        0,
		},
		Dialect: Dialect{
			Refs:            true,
			RootCombinators: false, // stripped
			TypeLists:       true,
			PropertyKey:     "^[a-zA-Z0-9_.-]{1,64}$",
		},
		Offers: Offers{
			Resources:    false, // four utility tools for each, never used by a model
			Prompts:      false,
			OutputSchema: false, // a result that could fail it is dropped and counts as a strike
		},
		Results: Results{
			RefusalIsError: false, // three isError close the server for 60 s
			ShortErrors:    false,
			Structured:     false, // its model pays for both
			// An error whose text holds one of these is taken for a broken transport, and
			// the call is sent again, writes included.
			Avoid: []string{
				"invalid or expired session", "expired session", "session expired", "session not found",
				"unknown session", "session terminated", "closedresourceerror", "closed resource",
				"transport is closed", "connection closed", "broken pipe", "end of file",
				// what follows these is shown to its model as [REDACTED]
				"key=", "token=", "password=", "secret=",
			},
		},
		ACP: ACP{
			Commands: []string{"hermes", "hermes-acp"},
			Isolates: false, // it keys MCP servers by name, for the whole process
			Silent:   "Hermes lets a server of the same name in its own config.yaml win (remove mcp_servers.mnote there), and starts none at all without its mcp extra (hermes-agent[mcp,acp])",
		},
		// a short environment; a child that does not leave at once is killed
		Habits: Habits{
			Strings:     true,
			Scalars:     true,
			Nulls:       false,
			Relists:     false,
			Asks:        false,
			Environment: []string{"PATH=/usr/bin:/bin", "MNOTE_SESSION_ID=${HERMES_SESSION}"},
			Kills:       true,
		},
	}
}
