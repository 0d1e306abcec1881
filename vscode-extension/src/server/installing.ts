/** What is installed after the first set-up, and what is taken away again. */

import * as vscode from 'vscode';
import type { LensClient } from '../client';
import { Failure } from '../failures';
import { bytesOf, removeEnvironments } from './privateEnvironment';
import { setUpDocuments } from './setUp';
import { megabytes } from './sizes';
import type { Starter } from './starting';

const { l10n, window } = vscode;

/** `Lens: Read Documents Too`: PDF, Office files, e-books and mail count in the next question. */
export async function readDocuments(lens: LensClient, starter: Starter): Promise<void> {
  try {
    if ((await setUpDocuments(starter.setUpHost)) === undefined) {
      return; // the user ended it
    }
  } catch (error) {
    if (error instanceof Failure) {
      void window.showErrorMessage(error.message);
      return;
    }
    throw error;
  }
  await lens.restart('documents are read, too');
  const again = l10n.t('Ask again');
  const message = l10n.t('PDF, Office files, e-books and mail are read from now on.');
  if ((await window.showInformationMessage(message, again)) === again) {
    await vscode.commands.executeCommand('lens.askAgain');
  }
}

/** `Lens: Remove What Was Installed`: answers, settings and keys stay. */
export async function removeAll(lens: LensClient, starter: Starter): Promise<void> {
  const { storage } = starter.setUpHost.places;
  const bytes = await bytesOf(storage);
  if (bytes === 0) {
    void window.showInformationMessage(l10n.t('Lens has installed nothing on this machine.'));
    return;
  }
  const remove = l10n.t('Remove');
  const message = l10n.t('Remove the search program of Lens? It takes {0} MB.', megabytes(bytes));
  const detail = l10n.t('Answers, settings and keys stay. It can be set up again.');
  if ((await window.showWarningMessage(message, { modal: true, detail }, remove)) !== remove) {
    return;
  }
  let freed = 0;
  await lens.restart('what was installed is removed', async () => {
    freed = await removeEnvironments(storage);
  });
  void window.showInformationMessage(l10n.t('Removed: {0} MB are free again.', megabytes(freed)));
}
