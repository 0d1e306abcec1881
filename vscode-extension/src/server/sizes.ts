/** How much a set-up downloads and takes on disk: measured by `scripts/sizes.py`, never guessed. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** Bytes. */
export interface Size {
  readonly download: number;
  readonly disk: number;
}

/** What is installed, and what reads documents beside it. */
export interface Sizes {
  readonly search: Size;
  readonly documents: Size;
}

interface Measured {
  readonly platforms: Readonly<Record<string, Sizes>>;
}

/** The sizes for this machine; for one that was not measured, the largest of those that were. */
export async function sizesOf(bundle: string, machine = `${process.platform}-${process.arch}`): Promise<Sizes> {
  const { platforms } = JSON.parse(await readFile(path.join(bundle, 'sizes.json'), 'utf8')) as Measured;
  const measured = Object.values(platforms).sort((a, b) => b.search.disk - a.search.disk);
  const sizes = platforms[machine] ?? measured[0];
  if (sizes === undefined) {
    throw new Error('sizes.json holds no size');
  }
  return sizes;
}

/** Bytes in whole megabytes, as people count them; never less than one. */
export function megabytes(bytes: number): number {
  return Math.max(1, Math.round(bytes / 1_000_000));
}
