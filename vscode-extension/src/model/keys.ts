/** Keys of model endpoints: in the editor's secret storage, each for one origin. */

import type * as vscode from 'vscode';

/** The keys that the user entered. */
export class Keys {
  readonly #secrets: vscode.SecretStorage;

  constructor(secrets: vscode.SecretStorage) {
    this.#secrets = secrets;
  }

  /** The key for the origin of an address, if there is one. */
  async of(baseUrl: string): Promise<string | undefined> {
    const origin = originOf(baseUrl);
    return origin === undefined ? undefined : this.#secrets.get(nameOf(origin));
  }

  /** Keep a key for an origin. */
  async set(origin: string, key: string): Promise<void> {
    await this.#secrets.store(nameOf(origin), key);
  }

  /** Remove the key of an origin. */
  async remove(origin: string): Promise<void> {
    await this.#secrets.delete(nameOf(origin));
  }

  /** Told when a key changes, in whatever window. */
  readonly onDidChange = (listener: () => void): vscode.Disposable =>
    this.#secrets.onDidChange((event) => {
      if (event.key.startsWith(PREFIX)) {
        listener();
      }
    });
}

const PREFIX = 'key:';

function nameOf(origin: string): string {
  return PREFIX + origin;
}

/** `https://host[:port]` of a model's address; undefined for what is none. */
export function originOf(baseUrl: string): string | undefined {
  try {
    const url = new URL(baseUrl);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : undefined;
  } catch {
    return undefined;
  }
}
