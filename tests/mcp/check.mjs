// check.mjs PROGRAM: the clients of both generations of the protocol use every tool of `PROGRAM mcp`. They check each
// message and each answer against the schemas. Prints "ok ..." and "not ok ..." lines.
import { execFileSync } from "node:child_process";
import { isDeepStrictEqual } from "node:util";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const program = process.argv[2];
const me = { name: "tpucost-test", version: "1.0.0" };
const create = "gcloud compute tpus tpu-vm create a --zone=us-central1-a --accelerator-type=v3-8 --version=tpu-ubuntu2204-base";
// tool, arguments, the command that answers the same
const calls = [
  ["status", {}, ["status"]],
  ["coverage", { since: "7d", by: "grant" }, ["coverage", "--since", "7d", "--by", "grant"]],
  ["query", { view: "costs", by: "day", since: "30d" }, ["cost", "--by", "day", "--since", "30d"]],
  ["why", { of: "tpu-wrong" }, ["why", "tpu-wrong"]],
  ["estimate", { command: create }, ["estimate", create]],
  ["grant_plan", {}, ["grant", "plan"]],
  ["quota", { where: "percent > 50", limit: 3 }, ["quota", "--where", "percent > 50", "--limit", "3"]],
  ["check_rules", { rule: "tpu-not-covered" }, ["rules", "explain", "tpu-not-covered"]],
];
const say = (name, ok, more = "") => console.log(`${ok ? "ok" : "not ok"} ${name}${ok ? "" : `: ${more}`}`);

function printed(args) {
  const run = () => execFileSync(program, [...args, "--format", "json"], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    return [0, JSON.parse(run())];
  } catch (e) {
    return [e.status, JSON.parse(e.stdout)];
  }
}

async function check(about, client, transport, version, era) {
  const problems = [];
  client.onerror = (e) => problems.push(String(e));
  await client.connect(transport);
  say(`${about}: server`, client.getServerVersion()?.name === "tpucost", client.getServerVersion()?.name);
  say(`${about}: instructions`, client.getInstructions()?.includes("never 0"), client.getInstructions());
  if (version) say(`${about}: version`, client.getNegotiatedProtocolVersion() === version, client.getNegotiatedProtocolVersion());
  if (era) say(`${about}: era`, client.getProtocolEra() === era, client.getProtocolEra());
  const { tools } = await client.listTools();
  say(`${about}: tools`, tools.map((t) => t.name).join() === calls.map((c) => c[0]).join(), JSON.stringify(tools.map((t) => t.name)));
  for (const [name, args, command] of calls) {
    const { structuredContent: got, content } = await client.callTool({ name, arguments: args });
    const [status, want] = printed(command);
    say(`${about}: ${name}`, isDeepStrictEqual(got.data, want) && got.exit_status === status, JSON.stringify(got).slice(0, 500));
    say(`${about}: ${name} as text`, isDeepStrictEqual(JSON.parse(content[0].text), got), content[0].text.slice(0, 200));
  }
  const wrong = await client.callTool({ name: "query", arguments: { view: "resorces" } });
  say(`${about}: an error of a tool`, wrong.isError && wrong.content[0].text.includes("resources"), JSON.stringify(wrong));
  const code = await client.callTool({ name: "stop", arguments: {} }).then(() => 0, (e) => e.code);
  say(`${about}: an unknown tool`, code === -32602, code);
  const stop = new AbortController();
  const slow = client.callTool({ name: "status", arguments: {} }, ...(era ? [{ signal: stop.signal }] : [undefined, { signal: stop.signal }]));
  stop.abort();
  await slow.catch(() => 0);
  const after = await client.callTool({ name: "quota", arguments: { limit: 0 } });
  say(`${about}: works after a request was cancelled`, after.structuredContent.data.length === 0, JSON.stringify(after));
  await client.close();
  say(`${about}: no message was wrong`, problems.filter((p) => !p.includes("unknown message ID")).length === 0, problems.join("; "));
}

const server = { command: program, args: ["mcp"], env: process.env };
await check("client of 2025", new OldClient(me), new OldTransport(server));
await check("client of 2026, as before", new Client(me), new StdioClientTransport(server), "2025-11-25", "legacy");
await check("client of 2026, asking", new Client(me, { versionNegotiation: { mode: "auto" } }), new StdioClientTransport(server), "2026-07-28", "modern");
await check("client of 2026", new Client(me, { versionNegotiation: { mode: { pin: "2026-07-28" } } }), new StdioClientTransport(server), "2026-07-28", "modern");
