/** Requests and streams as messages to the editor around the page: the same that `lens desktop` takes over HTTP. */
import type { ToView } from '../../../../vscode-extension/src/views/messages';
import { editor } from './surface';

/** A request was refused or failed; the message is for people. */
export class Failed extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly code: string | null,
  ) {
    super(message);
    this.name = 'Failed';
  }
}

/** An end of something that was begun. */
export type Closing = () => void;

interface Waiting {
  readonly resolve: (body: never) => void;
  readonly reject: (why: Failed) => void;
}

const waiting = new Map<number, Waiting>();
const streams = new Map<number, (data: unknown) => void>();
/** Not from 1: what a page asked that was there before may be answered now. */
let count = Math.floor(Math.random() * 2 ** 32);

if (editor !== undefined) {
  addEventListener('message', ({ data }: MessageEvent<ToView>) => {
    if (data.type === 'told') {
      streams.get(data.id)?.(data.data);
      return;
    }
    const asked = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.type === 'done') {
      asked?.resolve(data.body as never);
    } else {
      asked?.reject(new Failed(data.message, data.status, data.code));
    }
  });
}

/** Asks the editor for what `lens desktop` has at a path. */
export function carried<T>(method: string, path: string, body: unknown): Promise<T> {
  count += 1;
  const id = count;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    editor?.postMessage({ type: 'request', id, method, path, body });
  });
}

/** Follows a stream of the editor's. */
export function followed(path: string, hear: (data: unknown) => void): Closing {
  count += 1;
  const id = count;
  streams.set(id, hear);
  editor?.postMessage({ type: 'listen', id, path });
  return () => {
    streams.delete(id);
    editor?.postMessage({ type: 'leave', id });
  };
}
