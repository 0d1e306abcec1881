import { randomBytes } from 'node:crypto';
import { lstat, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Let a file hold a text, whole or not at all; false where a link or something else than a file stands in its place. */
export async function replaceWhole(file: string, text: string): Promise<boolean> {
  const there = await lstat(file).catch(() => undefined);
  if (there?.isFile() === false) {
    return false;
  }
  const part = path.join(path.dirname(file), `.${randomBytes(8).toString('hex')}.part`);
  try {
    await writeFile(part, text, { flag: 'wx', mode: there === undefined ? 0o666 : there.mode & 0o777 });
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
  return true;
}
