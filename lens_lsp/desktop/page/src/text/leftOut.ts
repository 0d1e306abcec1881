/** Files that a question left out, apart by whether that is wanted. */
import type { Coverage } from '../protocol';

/** Left out because that is wanted: nothing is wrong with these. */
export const MEANT: ReadonlySet<string> = new Set(['answer', 'denied', 'ignored', 'out-of-scope']);

/** A file or folder as a user knows it, and why it was left out. */
export interface LeftOutFile {
  readonly place: string;
  readonly reason: string;
}

/** Files that were to be searched and could not be read, by name. */
export function notRead({ skipped }: Pick<Coverage, 'skipped'>, roots: readonly string[]): readonly LeftOutFile[] {
  return skipped
    .filter(({ reason }) => !MEANT.has(reason))
    .map(({ path, reason, root }) => ({ place: placed(roots, root, path), reason }))
    .sort((one, other) => one.place.localeCompare(other.place));
}

/** A path below its folder; with the folder where there are several. */
export function placed(roots: readonly string[], root: number, path: string): string {
  const folder = roots[root] ?? '';
  return path === './' ? folder : roots.length === 1 || path.startsWith('/') ? path : `${folder}/${path}`;
}
