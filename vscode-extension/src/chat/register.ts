import * as vscode from 'vscode';
import type { LensClient } from '../client';
import { registerParticipant } from './participant';
import { registerTool } from './tool';

/** The Chat view's ways to ask: registers everything of this folder. */
export function registerChat(context: vscode.ExtensionContext, lens: LensClient): vscode.Disposable {
  return vscode.Disposable.from(registerParticipant(context, lens), registerTool(context, lens));
}
