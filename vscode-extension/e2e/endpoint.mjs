/**
 * An OpenAI-compatible endpoint on loopback whose model does what a story tells it: it understands the question as one
 * fact, quotes a passage wherever a request shows it, and words the answer piece by piece.
 */
import http from 'node:http';

const TRAILER = '@@ANSWER';
/** How the form of the wanted reply, which ends a request, begins in each stage. */
const FORMS = [
  ['{"intent"', 'plan'],
  ['{"anchors"', 'anchors'],
  ['{"found"', 'observe'],
  ['{"unproven"', 'cover'],
  ['{"short": "..."}', 'calibrate'],
];

function stageOf(prompt) {
  const form = prompt.slice(prompt.lastIndexOf('Reply with JSON only'));
  return FORMS.find(([begins]) => form.includes(begins) && !form.includes(TRAILER))?.[1] ?? 'answer';
}

/** The regions that a request shows: `[number, text]`. */
function regionsOf(prompt) {
  const shown = /\[([0-9a-z]+) (?:region|evidence) (\d+), context\]\n.*?\[\1 text\]\n(.*?)\n\[\1 end\]/gs;
  return [...prompt.matchAll(shown)].map(([, , number, text]) => [Number(number), text]);
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
  static async start({ fact, quote, value = null, answer, port = 0 }) {
    const endpoint = new Endpoint({ fact, quote, value, answer });
    await new Promise((resolve, reject) => endpoint.server.once('error', reject).listen(port, '127.0.0.1', resolve));
    endpoint.port = endpoint.server.address().port;
    return endpoint;
  }

  constructor(script) {
    this.script = script;
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

  /** Lets streams stop after their first pieces, or at the latest before the last, until `release`. */
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
    const { fact, quote, value, answer } = this.script;
    const plan = {
      intent: 'lookup',
      facts: [{ text: fact, type: 'any', many: false, label: fact }],
      combine: 'none',
      expression: null,
      document: null,
    };
    const anchors = [...new Set(quote.match(/\w{3,}/g))].slice(0, 12);
    const found = regionsOf(prompt)
      .filter(([, text]) => text.includes(quote))
      .map(([region]) => ({ region, fact: 'f1', verdict: 'full', quote, value }));
    const replies = {
      plan: { ...plan, anchors },
      anchors: { anchors },
      observe: { found, unproven: found.length > 0 ? [] : ['f1'], terms: [] },
      cover: { unproven: [], terms: [] },
      calibrate: { short: value },
    };
    if (stage !== 'answer') return JSON.stringify(replies[stage]);
    return `${answer}\n${TRAILER} ${JSON.stringify({ short: value, unmet: [] })}`;
  }

  async #stream(response, text) {
    response.on('close', () => {
      if (response.writableFinished) return;
      this.left += 1;
      this.#leaving();
    });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const pieces = text.match(/.{1,12}/gs);
    for (const [at, piece] of pieces.entries()) {
      if (at === Math.min(this.held, pieces.length - 1)) await this.flowing;
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
