/** What went wrong, for the user: in words that are the server's, or ours. */

import * as vscode from 'vscode';

/** Of the language server protocol: the client cancelled the request. */
const REQUEST_CANCELLED = -32800;

/** A request that failed. `message` is for the user. */
export class Failure extends Error {
  /** The server's name for it, as `lens.consent`; none for what is not the server's. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.name = 'Failure';
    this.code = code;
  }
}

/** Whatever was thrown, as what is thrown on: `vscode.CancellationError` for a cancelled request. */
export function failureOf(error: unknown): Failure | vscode.CancellationError {
  if (error instanceof Failure || error instanceof vscode.CancellationError) {
    return error;
  }
  if (!(error instanceof Error)) {
    return new Failure(String(error));
  }
  const { code, data } = error as { code?: unknown; data?: { code?: unknown } | null };
  if (code === REQUEST_CANCELLED) {
    return new vscode.CancellationError();
  }
  return new Failure(error.message, typeof data?.code === 'string' ? data.code : undefined);
}
