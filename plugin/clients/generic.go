package clients

// generic is any MCP client that we know nothing of: the strictest of what is known of all.
func generic() Client {
	return Client{
		Name:     "generic",
		Title:    "Any MCP client",
		ToolName: "mcp__{server}__{tool}",
		Limits: Limits{
			ToolName:    64,  // OpenAI-like providers answer 400 to a longer one
			Tools:       128, // several editors stop there
			Description: 0,
			Result:      15000,
			Line:        16777216,
		},
		Dialect: Dialect{
			Refs:            false,
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
		// nothing is known, so the least is counted on
		Habits: Habits{
			Strings: false,
			Scalars: false,
			Nulls:   false,
			Relists: false,
			Asks:    false,
			Kills:   true,
		},
	}
}
