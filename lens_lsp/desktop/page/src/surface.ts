/** What the page stands in: a tab of a browser, or a view of VS Code; and what it remembers there. */
import type { FromView } from '../../../../vscode-extension/src/views/messages';

type Remembered = Readonly<Record<string, string>>;

/** What VS Code gives the page of a view. */
interface Editor {
  postMessage(message: FromView): void;
  getState(): Remembered | undefined;
  setState(state: Remembered): void;
}

declare global {
  var acquireVsCodeApi: (() => Editor) | undefined;
}

/** The editor around the page; undefined in a browser. */
export const editor: Editor | undefined = globalThis.acquireVsCodeApi?.();

/** What was remembered under a name: by the browser for all its tabs, by the editor for the view of one window. */
export function recall(name: string): string | null {
  return editor === undefined
    ? (globalThis.localStorage?.getItem(`lens.${name}`) ?? null)
    : (editor.getState()?.[name] ?? null);
}

export function remember(name: string, what: string): void {
  if (editor === undefined) {
    localStorage.setItem(`lens.${name}`, what);
  } else {
    editor.setState({ ...editor.getState(), [name]: what });
  }
}
