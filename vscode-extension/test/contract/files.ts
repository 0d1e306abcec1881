import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The extension's folder: tests are run in it. */
const HOME = process.cwd();

/** The text of a file of the extension. */
export function textOf(file: string): string {
  return readFileSync(path.join(HOME, file), 'utf8');
}

/** A JSON file of the extension. */
export function jsonOf<T>(file: string): T {
  return JSON.parse(textOf(file)) as T;
}

/** The files below a folder of the extension whose names end so, in order, as paths from the extension's folder. */
export function filesIn(folder: string, ending: string): string[] {
  return readdirSync(path.join(HOME, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => path.posix.join(folder, name.split(path.sep).join('/')))
    .sort();
}
