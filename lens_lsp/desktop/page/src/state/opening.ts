/** Folders that come and go while the page is shown: added by their path, dropped on the page, opened again, closed. */
import * as api from '../api';
import { words } from '../words';
import { loadStatus, loadThreads, showOpened } from './knowing';
import { adding, chosenScope, folders, tell, tellFailure } from './page';

/** Has a folder searched, or one file of it. Rejects where there is none. */
export async function open(path: string): Promise<void> {
  const before = new Set(folders.value.map(({ uri }) => uri));
  const { added, file, ...opened } = await api.addFolder(path);
  showOpened(opened);
  const name = opened.folders.find(({ uri }) => uri === added)?.name ?? path;
  if (file !== null) {
    chosenScope.value = { kind: 'document', uri: file };
    tell(words.home.fileAdded(nameOf(file), name));
  } else {
    tell(before.has(added) ? words.home.already(name) : words.home.added(name));
  }
  Promise.all([loadThreads(), loadStatus()]).catch(tellFailure); // it is open, whatever becomes of these
}

/** Has a folder searched no more. */
export async function shut(uri: string): Promise<void> {
  try {
    showOpened(await api.dropFolder(uri));
    await Promise.all([loadThreads(), loadStatus()]);
  } catch (error) {
    tellFailure(error);
  }
}

/** Opens what was open before. */
export function reopen(path: string): void {
  void open(path).catch(tellFailure);
}

/** Takes a folder off the list of those that were open before. */
export function forget(path: string): void {
  api.forgetRecent(path).then(showOpened, tellFailure);
}

function nameOf(uri: string): string {
  return decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1));
}

/** Takes what is dropped on the page as something to add: its name, since a browser tells no place. Nothing is read. */
export function followDrops(): void {
  const ours = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true;
  document.addEventListener('dragover', (event) => {
    if (ours(event)) {
      event.preventDefault(); // or the browser shows the file instead of the page
    }
  });
  document.addEventListener('drop', (event) => {
    if (ours(event)) {
      event.preventDefault();
      const [file] = event.dataTransfer?.files ?? [];
      adding.value = { dropped: file?.name ?? null };
    }
  });
}
