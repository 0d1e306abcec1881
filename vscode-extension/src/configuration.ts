/** The editor's settings of Lens, as `settings.ts` looks at them. */

import * as vscode from 'vscode';
import type { Inspect } from './settings';

/** What is said of a setting in a place; undefined stands for the window. */
export function inspectIn(scope: vscode.Uri | undefined): Inspect {
  const configuration = vscode.workspace.getConfiguration('lens', scope);
  return (name) => configuration.inspect(name);
}
