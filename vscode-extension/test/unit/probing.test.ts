/** Model servers on this machine are looked for and tried: real ones, on loopback, that say what real ones say. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, test } from 'node:test';
import { lookAround, modelsAt, tryModel } from '../../src/model/probing';

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const servers: Server[] = [];
const never = new AbortController().signal;

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serving(answer: Answer): Promise<{ port: number; baseUrl: string }> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += String(part);
    });
    request.on('end', () => answer(request, response, body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, baseUrl: `http://127.0.0.1:${port}/v1` };
}

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

const listing: Answer = (_, response) =>
  json(response, { object: 'list', data: [{ id: 'qwen3:4b' }, { id: 'a$(x)\n b' }] });
const saying =
  (content: string): Answer =>
  (_, response) =>
    json(response, { choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] });

/** An address where nothing listens. */
async function closed(): Promise<{ port: number; baseUrl: string }> {
  const place = await serving(listing);
  await new Promise((resolve) => servers.pop()?.close(resolve));
  return place;
}

test('what answers is listed with its models, what does not is left out', async () => {
  const [one, none, other] = [await serving(listing), await closed(), await serving((_, r) => json(r, {}, 404))];
  const named = [one, none, other].map(({ port }, at) => ({ name: `server ${at}`, port }));
  assert.deepEqual(await lookAround(never, named), [
    { server: named[0], baseUrl: one.baseUrl, models: ['qwen3:4b', 'a$ (x) b'] },
  ]);
});

test('one that listens and says nothing holds nobody up', async () => {
  const silent = await serving(() => undefined);
  assert.deepEqual(await lookAround(never, [{ name: 'silent', port: silent.port }]), []);
});

test('a model is tried with one sentence, its key, and nothing else', async () => {
  const said: unknown[] = [];
  const place = await serving((request, response, body) => {
    said.push([request.url, request.headers.authorization, JSON.parse(body)]);
    saying('yes')(request, response, body);
  });
  const tried = await tryModel({ ...place, key: 'k' }, 'm', never);
  assert.ok(tried.ok && tried.milliseconds > 0);
  const content = 'Answer with one word: yes';
  assert.deepEqual(said, [
    ['/v1/chat/completions', 'Bearer k', { model: 'm', messages: [{ role: 'user', content }], max_tokens: 64 }],
  ]);
});

test('a model that only thought is one', async () => {
  assert.ok((await tryModel({ ...(await serving(saying(''))), key: undefined }, 'm', never)).ok);
});

test('an endpoint that wants its limit by another name gets it', async () => {
  const place = await serving((request, response, body) =>
    'max_tokens' in JSON.parse(body)
      ? json(response, { error: { message: "Use 'max_completion_tokens' instead." } }, 400)
      : saying('yes')(request, response, body),
  );
  assert.ok((await tryModel({ ...place, key: undefined }, 'm', never)).ok);
});

test('why a model does not answer is told', async () => {
  const at = async (answer: Answer) => tryModel({ ...(await serving(answer)), key: undefined }, 'm', never);
  assert.deepEqual(await at((_, r) => json(r, { error: { message: 'model "m" not found' } }, 404)), {
    ok: false,
    why: 'refused',
    said: '404 model "m" not found',
  });
  assert.deepEqual(await at((_, r) => json(r, { error: 'Unauthorized' }, 401)), {
    ok: false,
    why: 'refused',
    said: '401 Unauthorized',
  });
  assert.deepEqual(await at((_, r) => r.end('<html>hello</html>')), {
    ok: false,
    why: 'model',
    said: '<html>hello</html>',
  });
  assert.deepEqual(await tryModel({ ...(await closed()), key: undefined }, 'm', never), {
    ok: false,
    why: 'nothing',
    said: 'ECONNREFUSED',
  });
  const silent = await serving(() => undefined);
  const late = await tryModel({ ...silent, key: undefined }, 'm', never, 50);
  assert.ok(!late.ok && late.why === 'long');
});

test('a redirect leads nowhere: no key is sent to another host', async () => {
  const asked: string[] = [];
  const other = await serving((request) => asked.push(request.url ?? ''));
  const place = await serving((_, r) => r.writeHead(307, { location: `${other.baseUrl}/chat/completions` }).end());
  const tried = await tryModel({ ...place, key: 'k' }, 'm', never);
  assert.ok(!tried.ok);
  await assert.rejects(modelsAt({ ...place, key: 'k' }, never));
  assert.deepEqual(asked, []);
});

test('a reply without an end is not read to its end', async () => {
  const place = await serving((_, response) => {
    const part = 'x'.repeat(100_000);
    const more = (): void => {
      while (!response.destroyed && response.write(part)) {
        // until the other side has enough
      }
      response.once('drain', more);
    };
    more();
  });
  const tried = await tryModel({ ...place, key: undefined }, 'm', never);
  assert.ok(!tried.ok);
  assert.equal(tried.said, 'the reply is too long');
});

test('the user ends a try', async () => {
  const abort = new AbortController();
  const place = await serving(() => abort.abort());
  await assert.rejects(tryModel({ ...place, key: undefined }, 'm', abort.signal), { name: 'AbortError' });
});
