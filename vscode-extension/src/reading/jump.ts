import * as vscode from 'vscode';

/** How a place is shown. */
export interface Showing {
  /** Leave the focus where it is, in a tab that the next one may replace. */
  readonly preview?: boolean;
}

/**
 * Show a place in the editor, the passage selected and in the middle. A file that is no text is opened by whatever
 * opens it. False where there is nothing to show.
 */
export async function jump(place: vscode.Location, showing: Showing = {}): Promise<boolean> {
  const preview = showing.preview === true;
  try {
    const document = await vscode.workspace.openTextDocument(place.uri);
    const editor = await vscode.window.showTextDocument(document, {
      preview,
      preserveFocus: preview,
      selection: place.range,
    });
    editor.revealRange(place.range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    return true;
  } catch {
    // Not a text, or gone: the editor says so itself when it is asked to open it.
    if (!preview) {
      await vscode.commands.executeCommand('vscode.open', place.uri);
    }
    return false;
  }
}
