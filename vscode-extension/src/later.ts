/** What is loaded when it is needed: the bundle has it in files of its own. */

/** The module with the language client. */
export function loadSession(): Promise<typeof import('./session.js')> {
  return import('./session.js');
}
