/**
 * An OpenAI-compatible endpoint on loopback whose model does what a story tells it: it quotes a passage where a request
 * shows it, words the answer piece by piece, and finds nothing wrong with it.
 */
import http from 'node:http';

/** What only a request of each stage says. */
const STAGES = [
  ['answerable:', 'read'],
  ['Sentences of an answer', 'verify'],
];

function stageOf(prompt) {
  return STAGES.find(([says]) => prompt.includes(says))?.[1] ?? 'widen';
}

/** The number of the region of a request that holds a text. */
function regionWith(prompt, text) {
  const end = prompt.indexOf(text);
  const heads = [...prompt.slice(0, Math.max(0, end)).matchAll(/^\[[0-9a-z]+ (\d+)\]/gm)];
  return end < 0 || heads.length === 0 ? undefined : Number(heads.at(-1)[1]);
}

function body(request) {
  return new Promise((resolve, reject) => {
    const parts = [];
    request
      .on('data', (part) => parts.push(part))
      .on('end', () => resolve(Buffer.concat(parts).toString()))
      .on('error', reject);
  });
}

export class Endpoint {
  #leaving;

  /** `quote` is the passage that proves it, `answer` what is said, with `[1]` where it is cited. */
  static async start({ quote, value = null, answer, port = 0 }) {
    const endpoint = new Endpoint({ quote, value, answer });
    await new Promise((resolve, reject) => endpoint.server.once('error', reject).listen(port, '127.0.0.1', resolve));
    endpoint.port = endpoint.server.address().port;
    return endpoint;
  }

  constructor(script) {
    this.script = script;
    /** What it lists, and what it says instead of answering, if anything. */
    this.models = ['story'];
    this.refusing = null;
    /** Connections ever made, and the chat requests that came, by stage. */
    this.connections = 0;
    this.stages = [];
    /** Streams that the client left before they ended; `hungUp` is kept when the first is. */
    this.left = 0;
    this.flowing = Promise.resolve();
    this.held = 0;
    this.release = () => {};
    this.hungUp = new Promise((resolve) => (this.#leaving = resolve));
    this.server = http.createServer((request, response) => this.#serve(request, response));
    this.server.on('connection', () => (this.connections += 1));
  }

  get host() {
    return `127.0.0.1:${this.port}`;
  }

  get baseUrl() {
    return `http://${this.host}/v1`;
  }

  /** Lets streams stop after the first pieces of the answer, or at the latest before the last, until `release`. */
  hold(pieces = 3) {
    this.held = pieces;
    this.flowing = new Promise((resolve) => (this.release = resolve));
  }

  stop() {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    return closed;
  }

  async #serve(request, response) {
    if (request.method === 'GET' && request.url.endsWith('/models')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ object: 'list', data: this.models.map((id) => ({ id })) }));
      return;
    }
    if (this.refusing !== null) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: this.refusing } }));
      return;
    }
    if (request.method !== 'POST' || !request.url.endsWith('/chat/completions')) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error": {"message": "no such path"}}');
      return;
    }
    const asked = JSON.parse(await body(request));
    const prompt = asked.messages
      .filter((each) => each.role === 'user')
      .map((each) => each.content)
      .join('\n');
    const stage = stageOf(prompt);
    this.stages.push(stage);
    const text = this.#says(stage, prompt);
    if (asked.stream) await this.#stream(response, text);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole(text)));
  }

  #says(stage, prompt) {
    const { quote, value, answer } = this.script;
    const region = regionWith(prompt, quote);
    const read =
      region === undefined
        ? {
            answerable: 'no',
            quotes: [],
            items: [],
            computation: null,
            missing: [],
            terms: [],
            answer: '',
            short: null,
          }
        : {
            answerable: 'yes',
            quotes: [{ n: 1, region, quote }],
            items: [],
            computation: null,
            missing: [],
            terms: [],
            answer,
            short: value,
          };
    return JSON.stringify({ read, verify: { wrong: [] }, widen: { terms: [] } }[stage]);
  }

  async #stream(response, text) {
    response.on('close', () => {
      if (response.writableFinished) return;
      this.left += 1;
      this.#leaving();
    });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const pieces = text.match(/.{1,12}/gs);
    const words = Math.ceil(text.indexOf('"answer":') / 12);
    for (const [at, piece] of pieces.entries()) {
      if (at === Math.min(words + this.held, pieces.length - 1)) await this.flowing;
      response.write(event({ delta: { content: piece }, finish_reason: null }));
    }
    response.write(event({ delta: {}, finish_reason: 'stop' }));
    response.end('data: [DONE]\n\n');
  }
}

function event(choice) {
  return `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] })}\n\n`;
}

function whole(content) {
  const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' };
  return {
    object: 'chat.completion',
    choices: [choice],
    usage: { prompt_tokens: 900, completion_tokens: 60, total_tokens: 960 },
  };
}
