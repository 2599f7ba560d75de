package clients

// gemini is Gemini CLI.
func gemini() Client {
	return Client{
		Name:       "gemini",
		Title:      "Gemini CLI",
		ClientInfo: []string{"gemini-cli-mcp-client"},
		ToolName:   "mcp_{server}_{tool}",
		Limits: Limits{
			ToolName:    63, // the middle of a longer one is replaced by ___
			NameForm:    "^[a-zA-Z_][a-zA-Z0-9_.:-]*$",
			Tools:       0,
			Description: 1024, // the API answers 400 to a longer one
			Result:      0,
			Line:        0,
		},
		Dialect: Dialect{
			Refs:            false, // 400 for the whole request
			RootCombinators: false,
			TypeLists:       false,
			PropertyKey:     "^[a-zA-Z0-9_.-]{1,64}$",
		},
		Offers: Offers{
			Resources:    true,
			Prompts:      true,
			OutputSchema: true,
		},
		Results: Results{
			RefusalIsError: true,
			ShortErrors:    false,
			Structured:     true,
		},
		Habits: Habits{
			Strings:     true,
			Scalars:     true,
			Nulls:       true,
			Relists:     false,
			Asks:        false,
			Environment: []string{"PATH=/usr/bin:/bin", "MNOTE_KERNEL_TOKEN=${MNOTE_TOKEN}"}, // variables named like secrets are left out of what it hands on
			Kills:       true,
		},
	}
}
