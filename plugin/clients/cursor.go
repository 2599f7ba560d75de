package clients

// cursor is Cursor, the editor.
func cursor() Client {
	return Client{
		Name:       "cursor",
		Title:      "Cursor",
		ClientInfo: []string{"cursor-vscode"},
		ToolName:   "{server}:{tool}",
		Limits: Limits{
			ToolName:    60, // of server and tool together; a longer one is filtered out with a warning
			NameForm:    "^[a-zA-Z0-9_:-]+$",
			Tools:       40, // of all servers, 80 in later versions; the rest is not sent
			Description: 0,
			Result:      0,
			Line:        0,
		},
		Dialect: Dialect{
			Refs:            false, // the model behind it may be any
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
			Scalars:     false,
			Nulls:       true,
			Relists:     false, // until its switch is turned off and on
			Asks:        true,
			Environment: []string{"PATH=/usr/bin:/bin", "MNOTE_DOCUMENT_ID=${workspaceFolder}/a.md"}, // started from a desktop, not from a shell
			Kills:       true,
		},
	}
}
