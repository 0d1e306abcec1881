import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { LensClient } from '../../../src/client';
import { standIn } from './standIn';

const editor = standIn();

type Call = readonly [name: string, ...values: unknown[]];
type Handler = (request: object, history: object, stream: object, token: object) => Promise<Record<string, unknown>>;
interface Tool {
  invoke(options: object, token: object): Promise<{ readonly content: readonly { readonly value: string }[] }>;
}

const CONTEXT = { extensionUri: editor.Uri.parse('file:///extension') };
const RANGE = { start: { line: 2, character: 0 }, end: { line: 2, character: 9 } };
const NOWHERE = { endpoint: null, calls: { total: 0 }, tokens: { in: 0, out: 0 } };
const RUNNING = { isCancellationRequested: false };

let handler: Handler;
let followUps: (result: object) => readonly object[];
let tool: Tool;
let asked: [method: string, params: Record<string, unknown>][];
let result: () => unknown;

function hear(method: string): (params: Record<string, unknown>) => Promise<unknown> {
  return async (params) => {
    asked.push([method, params]);
    return result();
  };
}

const lens = { ask: hear('ask'), find: hear('find') } as unknown as LensClient;

function evidence(n: number, path: string, quote: string): object {
  return { n, path, quote, heading: [], uri: `file:///notes/${path}`, range: RANGE };
}

function answered(answer: string, more: object = {}): object {
  const empty = { requirements: [], evidence: [], warnings: [], answerUri: null, ledger: NOWHERE };
  return { question: 'When?', answer, ...empty, ...more };
}

beforeEach(async () => {
  asked = [];
  editor.workspace.isTrusted = true;
  editor.chat = {
    createChatParticipant: (_: string, given: Handler) => {
      handler = given;
      return {
        set followupProvider(provider: { provideFollowups: typeof followUps }) {
          followUps = provider.provideFollowups;
        },
      };
    },
  };
  editor.lm = {
    registerTool: (_: string, given: Tool) => {
      tool = given;
    },
  };
  await register();
});

async function register(): Promise<void> {
  const { registerChat } = await import('../../../src/chat/register');
  registerChat(CONTEXT as never, lens);
}

/** What a request makes of the Chat view, and what it leaves. */
async function chat(
  request: object,
  history: readonly unknown[] = [],
): Promise<{ calls: Call[]; left: Record<string, unknown> }> {
  const calls: Call[] = [];
  const names = ['markdown', 'anchor', 'reference', 'button', 'progress'];
  const stream = Object.fromEntries(
    names.map((name) => [name, (...values: unknown[]) => calls.push([name, ...values])]),
  );
  const left = await handler({ prompt: 'When?', references: [], ...request }, { history }, stream, RUNNING);
  return { calls, left };
}

function textOf(calls: readonly Call[]): string {
  return calls
    .filter(([name]) => name === 'markdown' || name === 'anchor')
    .map(([name, ...values]) => (name === 'anchor' ? `<${String(values[1])}>` : String(values[0])))
    .join('');
}

test('an editor without chat and without language models gets neither, and all the rest', async () => {
  delete editor.chat;
  delete editor.lm;
  await register();
  editor.chat = {};
  editor.lm = {};
  await register();
});

test('an answer comes with anchors and references to exact places', async () => {
  result = () => answered('It ends in 2031. [1]', { evidence: [evidence(1, 'a.md', 'It  ends\nin 2031.')] });
  const { calls, left } = await chat({});
  assert.equal(textOf(calls), 'It ends in 2031. <a.md:3>\n\n1\\. <a.md:3> “It ends in 2031.”');
  const references = calls.filter(([name]) => name === 'reference');
  assert.deepEqual(JSON.parse(JSON.stringify(references[0]?.[1])), {
    uri: { scheme: 'file', path: '/notes/a.md' },
    range: { places: [2, 0, 2, 9] },
  });
  assert.equal((left.metadata as { question: string }).question, 'When?');
});

test('nothing that a note or a model wrote is active', async () => {
  const hostile = '![x](http://e.x/p.png) [c](command:x) <img src=x>';
  result = () =>
    answered(`${hostile} !![1](http://e.x)`, {
      evidence: [evidence(1, 'a](http:e.x)`b`.md', hostile)],
      requirements: [{ status: 'missing', text: hostile }],
      warnings: [hostile],
    });
  const text = textOf((await chat({})).calls);
  assert.doesNotMatch(text, /(?<!\\)!\[|(?<!\\)\]\(|(?<!\\)<img/);
  assert.doesNotMatch(text, /(?<!\\):\/\//);
  assert.ok(text.includes('<a\\](http:e.x)\\`b\\`.md:3>'));
});

test('an answer that was cut short says why', async () => {
  result = () => answered('', { stopped: 'budget-calls', requirements: [{ status: 'contested', text: 'the end' }] });
  const text = textOf((await chat({})).calls);
  assert.match(text, /\* The sources disagree: the end\n\* Stopped: all calls/);
});

test('a conversation stays in its thread, and another one has another', async () => {
  result = () => answered('');
  const first = (await chat({})).left.metadata as { thread: string };
  const turn = new editor.ChatResponseTurn({ metadata: first });
  await chat({}, [turn, new editor.ChatResponseTurn({})]);
  await chat({});
  const [one, two, three] = asked.map(([, { thread }]) => thread);
  assert.equal(one, two);
  assert.notEqual(one, three);
});

test('a command finds passages, another one asks no model', async () => {
  result = () => ({ evidence: [] });
  const { calls } = await chat({ command: 'find' });
  assert.match(textOf(calls), /Nothing was found/);
  result = () => answered('');
  await chat({ command: 'offline' });
  await chat({});
  assert.deepEqual(
    asked.map(([method, { mode }]) => [method, mode]),
    [
      ['find', undefined],
      ['ask', 'evidence'],
      ['ask', undefined],
    ],
  );
});

test('what somebody attached is what is searched, what the editor attached is not', async () => {
  result = () => answered('');
  const references = [
    { id: 'file', value: editor.Uri.parse('file:///notes/a.md') },
    { id: 'vscode.implicit.viewport', value: editor.Uri.parse('file:///notes/b.md') },
    { id: 'web', value: editor.Uri.parse('https://e.x/') },
    { id: 'text', value: 'words' },
  ];
  await chat({ references });
  assert.deepEqual(asked[0]?.[1].scope, { folders: ['file:///notes/a.md'] });
  await chat({});
  assert.equal(asked[1]?.[1].scope, undefined);
});

test('a failure is told, a cancelled request is not', async () => {
  result = () => {
    throw new Error('busy');
  };
  assert.deepEqual((await chat({})).left, { errorDetails: { message: 'busy' } });
  assert.deepEqual(
    await handler({ prompt: 'q', references: [] }, { history: [] }, {}, { isCancellationRequested: true }),
    {},
  );
});

test('a search that is not set up says so, and has the button for it', async () => {
  const { CancellationError } = editor as { CancellationError?: new () => Error };
  assert.ok(CancellationError);
  result = () => {
    throw new CancellationError();
  };
  const { calls, left } = await chat({});
  assert.deepEqual(left, { errorDetails: { message: 'The Lens server was not started.' } });
  assert.deepEqual(calls, [['button', { command: 'lens.setUp', title: 'Set up' }]]);
});

test('what was not found is offered as the next question', () => {
  const metadata = { thread: 't', question: 'q', missing: ['q', 'a', 'b', 'c', 'd'] };
  assert.deepEqual(followUps({ metadata }), [
    { prompt: 'a' },
    { prompt: 'b' },
    { prompt: 'c' },
    { prompt: 'q', command: 'find', label: 'Show the passages that come nearest' },
  ]);
  assert.deepEqual(followUps({}), []);
});

test('the tool gives passages as data, and asks for what a model may read', async () => {
  result = () => ({
    query: 'lease',
    warnings: [],
    evidence: [evidence(1, 'a.md', 'the lease'), evidence(2, 'b.md', 'a lease')],
  });
  const given = await tool.invoke({ input: { query: ' lease ', limit: 1000 } }, {});
  assert.deepEqual(asked, [['find', { query: 'lease', limit: 50, forModel: true }]]);
  const text = given.content[0]?.value ?? '';
  assert.deepEqual(JSON.parse(text.slice(text.indexOf('{'))).passages, [
    { at: 'a.md:3', heading: [], quote: 'the lease' },
    { at: 'b.md:3', heading: [], quote: 'a lease' },
  ]);
});

test('the tool gives the best passages that the model has room for', async () => {
  result = () => ({
    query: 'q',
    warnings: [],
    evidence: [evidence(1, 'a.md', 'x'.repeat(100)), evidence(2, 'b.md', 'y'.repeat(900))],
  });
  const tokenizationOptions = { tokenBudget: 700, countTokens: async (text: string) => text.length };
  const given = await tool.invoke({ input: { query: 'q' }, tokenizationOptions }, {});
  assert.match(given.content[0]?.value ?? '', /xxx/);
  assert.doesNotMatch(given.content[0]?.value ?? '', /yyy/);
});

test('the tool refuses nonsense, and a workspace that is not trusted', async () => {
  for (const input of [{}, { query: ' ' }, { query: 3 }]) {
    await assert.rejects(tool.invoke({ input }, {}), /query is missing/);
  }
  editor.workspace.isTrusted = false;
  await assert.rejects(tool.invoke({ input: { query: 'q' } }, {}), /not trusted/);
  assert.deepEqual(asked, []);
});
