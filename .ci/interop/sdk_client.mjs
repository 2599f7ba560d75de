// Drives mnote-host with the official TypeScript SDK, version 1 or 2: reads one
// operation a line, answers with one line (sdk.go says what there is).
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const setup = JSON.parse(process.env.SDK_SETUP);
const require = createRequire(setup.modules + '/');
const two = setup.sdk === 'ts2';
const { Client } = two ? require('@modelcontextprotocol/client') : require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = two ? require('@modelcontextprotocol/client/stdio') : require('@modelcontextprotocol/sdk/client/stdio.js');
const types = two ? null : require('@modelcontextprotocol/sdk/types.js');

const heard = [];
const options = { capabilities: setup.elicit === 'none' ? {} : { elicitation: two ? { form: {} } : {} } };
if (two && setup.era === 'modern') options.versionNegotiation = { mode: { pin: '2026-07-28' } };
const client = new Client({ name: 'interop-ts', version: '1' }, options);
const answer = async () => setup.elicit === 'silent' ? new Promise(() => {}) : ({ action: setup.elicit, ...(setup.elicit === 'accept' ? { content: {} } : {}) });
if (setup.elicit !== 'none') client.setRequestHandler(two ? 'elicitation/create' : types.ElicitRequestSchema, answer);
client.setNotificationHandler(two ? 'notifications/tools/list_changed' : types.ToolListChangedNotificationSchema, () => { heard.push('tools'); });
await client.connect(new StdioClientTransport({ command: setup.command, args: setup.args, env: setup.env, stderr: 'inherit' }));
if (two && setup.era === 'modern') await client.listen({ toolsListChanged: true });

const lists = {
  tools: async (p) => (await client.listTools(p)).tools.map((t) => t.name),
  resources: async (p) => (await client.listResources(p)).resources.map((r) => r.uri),
  templates: async (p) => (await client.listResourceTemplates(p)).resourceTemplates.map((r) => r.uriTemplate),
  prompts: async (p) => (await client.listPrompts(p)).prompts.map((x) => x.name),
};
const operations = {
  list: (o) => lists[o.what](o.cursor ? { cursor: o.cursor } : undefined),
  call: async (o) => {
    const abort = new AbortController();
    if (o.cancelAfter) setTimeout(() => abort.abort('the user left'), o.cancelAfter);
    let beats = 0;
    const params = { name: o.name, arguments: o.args };
    const how = { signal: abort.signal, onprogress: () => { beats++; }, timeout: 300000 };
    const left = new Promise((_, no) => abort.signal.addEventListener('abort', () => no(abort.signal.reason)));
    try {
      const r = await Promise.race([left, two ? client.callTool(params, how) : client.callTool(params, undefined, how)]);
      return { text: r.content[0].text, isError: !!r.isError, beats };
    } catch (e) {
      if (!o.cancelAfter) throw e;
      return { cancelled: true, beats };
    }
  },
  read: async (o) => (await client.readResource({ uri: o.uri })).contents[0].text,
  prompt: async (o) => (await client.getPrompt({ name: o.name })).messages[0].content.text,
  complete: async (o) => (await client.complete({ ref: { type: 'ref/resource', uri: o.uri }, argument: { name: o.argument, value: o.value } })).completion.values,
  heard: async () => heard,
};
for await (const line of createInterface({ input: process.stdin })) {
  const o = JSON.parse(line);
  let out;
  try { out = { ok: await operations[o.op](o) }; } catch (e) { out = { error: { code: e.code ?? 0, message: String(e.message) } }; }
  process.stdout.write(JSON.stringify(out) + '\n');
}
await client.close();
process.exit(0);
