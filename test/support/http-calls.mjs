// Calls tools over HTTP with the SDK's own client, from where it is started: <url> <token> [<tool> <arguments>]…
// Prints one JSON array: the answers, or the error.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url, token, ...calls] = process.argv.slice(2);
const client = new Client({ name: 'container', version: '1.0.0' });
const answers = [];
try {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  for (let at = 0; at < calls.length; at += 2) {
    const { content } = await client.callTool({ name: calls[at], arguments: JSON.parse(calls[at + 1]) });
    answers.push(JSON.parse(content[0].text));
  }
} catch (error) {
  answers.push(String(error));
}
await client.close();
console.log(JSON.stringify(answers));
