package clients

// hermesPlugin is the Hermes plugin that generate makes: Python that forwards over
// our stdio. Its model sees plain tool names; all else is as in hermes.
func hermesPlugin() Client {
	c := hermes()
	c.Name, c.Title = "hermes-plugin", "Hermes Agent, through our plugin"
	c.ClientInfo = []string{"mnote-hermes-plugin"}
	c.ToolName = "{tool}"
	c.ACP = ACP{} // it is no agent
	c.Habits.Environment = nil
	return c
}
