import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Prompt } from './messages';

/** What the view that prompts are shown in. */
export const VIEW = 'lens.view';

interface Open {
  readonly prompt: Prompt;
  readonly answer: (action: string | undefined) => void;
}

/** Questions to the user that stay in the view until they are answered: no notification slides away with them. */
export class Prompts implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #told = new vscode.EventEmitter<string>();
  /** How far something is that takes a while before questions can be answered. */
  readonly onDidReport = this.#told.event;
  readonly #open = new Map<string, Open>();

  get all(): readonly Prompt[] {
    return [...this.#open.values()].map(({ prompt }) => prompt);
  }

  /** What the user chose; undefined where they closed it, or nobody waits for it any more. */
  ask(asked: Omit<Prompt, 'id'>, token?: vscode.CancellationToken): Promise<string | undefined> {
    const id = randomUUID();
    return new Promise((resolve) => {
      const answer = (action: string | undefined): void => {
        this.#open.delete(id);
        taken?.dispose();
        this.#changed.fire();
        resolve(action !== undefined && asked.actions.includes(action) ? action : undefined);
      };
      const taken = token?.onCancellationRequested(() => answer(undefined));
      this.#open.set(id, { prompt: { ...asked, id }, answer });
      this.#changed.fire();
      void vscode.commands.executeCommand(`${VIEW}.focus`);
    });
  }

  answer(id: string, action: string | undefined): void {
    this.#open.get(id)?.answer(action);
  }

  report(message: string): void {
    this.#told.fire(message);
  }

  dispose(): void {
    for (const { answer } of [...this.#open.values()]) {
      answer(undefined);
    }
    this.#changed.dispose();
    this.#told.dispose();
  }
}
