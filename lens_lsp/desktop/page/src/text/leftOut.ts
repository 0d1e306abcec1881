/** Files that a question left out, apart by whether that is wanted. */
import type { Coverage, Folder } from '../protocol';
import { pathAmong } from './places';

/** Left out because that is wanted: nothing is wrong with these. */
export const MEANT: ReadonlySet<string> = new Set(['answer', 'denied', 'ignored', 'out-of-scope']);

/** A file or folder as a user knows it, and why it was left out. */
export interface LeftOutFile {
  readonly place: string;
  readonly reason: string;
}

/** Files that were to be searched and could not be read, by name. */
export function notRead(
  { skipped }: Pick<Coverage, 'skipped'>,
  roots: readonly string[],
  folders: readonly Folder[],
): readonly LeftOutFile[] {
  return skipped
    .filter(({ reason }) => !MEANT.has(reason))
    .map(({ path, reason, root }) => ({ place: placed(roots, root, path, folders), reason }))
    .sort((one, other) => one.place.localeCompare(other.place));
}

/** A path below the one of the searched folders that it is in; else below its root, named where there are several. */
export function placed(roots: readonly string[], root: number, path: string, folders: readonly Folder[]): string {
  const folder = roots[root] ?? '';
  const whole = path.startsWith('/') ? path : path === './' ? folder : `${folder}/${path}`;
  const known = pathAmong(folders, whole);
  if (known !== undefined) {
    return known;
  }
  return path === './' ? folder : roots.length === 1 || path.startsWith('/') ? path : `${folder}/${path}`;
}
