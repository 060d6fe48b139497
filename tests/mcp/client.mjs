// The official client over stdio: client.mjs COMMAND WORD… prints what a session says, as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "tests", version: "1" });
await client.connect(new StdioClientTransport({ command, args }));
const { tools } = await client.listTools();
// callTool() holds each answer against the tool's outputSchema, which listTools() has kept.
const call = (name, more = {}) => client.callTool({ name, arguments: more });
const said = {
    server: client.getServerVersion(),
    tools: tools.map((tool) => tool.name),
    resources: (await client.listResources()).resources.length,
    templates: (await client.listResourceTemplates()).resourceTemplates.length,
    set: await call("break", { catch: "check" }),
    run: await call("run"),
    wrote: await call("who-wrote", { expression: "to[i]" }),
    failed: await call("evaluate", { expression: "nothing" }),
    report: await client.readResource({ uri: "wavetrap://report" }),
    unknown: await call("nonsense").catch((error) => error.code),
};
await client.ping();
await client.close();
console.log(JSON.stringify(said));
