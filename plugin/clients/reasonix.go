package clients

// reasonix is Reasonix 1.38.11. Its model finds tools by word search or through a skill.
func reasonix() Client {
	return Client{
		Name:       "reasonix",
		Title:      "Reasonix",
		AgentID:    "reasonix",
		ClientInfo: []string{"reasonix"},
		ToolName:   "mcp-tool:{server}/{tool}",
		Limits: Limits{
			ToolName:    128,
			Tools:       32,       // a listing is cut at about 16 KB, 32 to 38 tools
			Description: 240,      // cut there in a search
			Result:      16000,    // of one over 32,768 bytes: the first and the last 8,000
			Line:        16777216, // a longer line restarts the server
		},
		Dialect: Dialect{
			Refs:            true,
			RootCombinators: true,
			TypeLists:       true,
			PropertyKey:     "",
		},
		Offers: Offers{
			Resources:    true, // listed, never read
			Prompts:      true, // its slash commands
			OutputSchema: true,
		},
		Results: Results{
			RefusalIsError: true,
			ShortErrors:    true, // an error's text is shown twice
			Structured:     true, // shown once when it equals the text
		},
		ACP: ACP{
			Commands: []string{"reasonix"},
			Isolates: true, // one child for each session
			Silent:   "Reasonix gives a server 5 s, and then starts it behind; see its stderr",
		},
		// it lists again, and fails calls meanwhile
		Habits: Habits{
			Strings:     true,
			Scalars:     false,
			Nulls:       true,
			Relists:     true,
			Asks:        false,
			Environment: []string{"MNOTE_ACTOR_ID=${USER_NAME}"},
			Kills:       false,
		},
	}
}
