import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';

import { attend, follow } from '../src/api';
import type { AskMessage } from '../src/protocol';

/** A stream that breaks in the midst of its second event, goes on after the first, and then has nobody at all. */
describe('a stream of events', () => {
  const asked: IncomingHttpHeaders[] = [];
  const own = globalThis.fetch;
  let server: Server;

  before(async () => {
    server = createServer(({ url, headers }, answer) => {
      if (url !== '/api/asks/x/events') {
        answer.writeHead(401, { 'Content-Type': 'application/json' }).end('{"error": {"message": "no"}}');
        return;
      }
      asked.push(headers);
      answer.writeHead(200, { 'Content-Type': 'text/event-stream' });
      if (headers['last-event-id'] === undefined) {
        answer.write(': connected\n\nid: 1\nda');
        answer.write('ta: {"type": "progress", "message": "é漢😀"}\n\nid: 2\ndata: {"type": "res', () =>
          answer.destroy(),
        );
      } else {
        answer.write('id: 2\ndata: {"type": "result"}\n\nid: 3\ndata: {"type": "progress"}\n\n');
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    globalThis.fetch = (path, init) => own(`http://127.0.0.1:${port}${String(path)}`, init);
    Object.assign(globalThis, { localStorage: { getItem: () => 'the key' } });
  });
  after(() => {
    globalThis.fetch = own;
    server.closeAllConnections();
    server.close();
  });

  it('goes on where it broke, and is over with the result', async () => {
    const heard: AskMessage[] = [];
    await new Promise<void>((resolve, reject) => {
      const hear = (message: AskMessage) => {
        heard.push(message);
        if (message.type === 'result') {
          resolve();
        }
      };
      follow('x', hear, () => reject(new Error('lost')));
    });
    assert.deepEqual(heard, [{ type: 'progress', message: 'é漢😀' }, { type: 'result' }]);
    assert.deepEqual(
      asked.map((headers) => [headers.authorization, headers['last-event-id']]),
      [
        ['Bearer the key', undefined],
        ['Bearer the key', '1'],
      ],
    );
  });

  it('ends where it is refused, and says so', async () => {
    const why = await new Promise<{ status: number }>((resolve) =>
      attend(
        () => assert.fail(),
        () => assert.fail(),
        resolve,
      ),
    );
    assert.equal(why.status, 401);
  });
});
