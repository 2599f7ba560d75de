package clients

// claudeCode is Claude Code, and Claude Desktop, which bundles the same agent.
func claudeCode() Client {
	return Client{
		Name:       "claude-code",
		Title:      "Claude Code",
		ClientInfo: []string{"claude-code", "claude-ai"},
		ToolName:   "mcp__{server}__{tool}",
		Limits: Limits{
			ToolName:    64,                 // the API took no longer one; it takes 128 today
			NameForm:    "^[a-zA-Z0-9_-]+$", // no dot: one such name fails every request
			Tools:       0,
			Description: 2000,  // cut there
			Result:      50000, // more than 25,000 tokens are refused; Chinese is a token in 2 bytes
			Line:        0,
		},
		Dialect: Dialect{
			Refs:            true,  // but what is behind one arrives as a string of JSON
			RootCombinators: false, // the API answers 400
			TypeLists:       true,
			PropertyKey:     "^[a-zA-Z0-9_.-]{1,64}$",
		},
		Offers: Offers{
			Resources:    true,
			Prompts:      true, // its slash commands
			OutputSchema: true,
		},
		Results: Results{
			RefusalIsError: true,
			ShortErrors:    false,
			Structured:     true,
		},
		Habits: Habits{
			Strings:     true, // objects and lists, in long sessions (anthropics/claude-code 5504, 93179)
			Scalars:     true, // numbers and booleans too (24597)
			Nulls:       false,
			Relists:     true,
			Asks:        true,
			Environment: []string{"MNOTE_ACTOR_ID=${MNOTE_USER}"}, // an unset variable stays as it is written
			Kills:       false,
		},
	}
}
