/**
 * Draw icon.png, 128 pixels wide, from media/icon.svg: `node scripts/icon.mjs`.
 *
 * With `--check` nothing is written and the status is 1 when the picture is not current.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Resvg } from '@resvg/resvg-js';

const SOURCE = new URL('../media/icon.svg', import.meta.url);
const PICTURE = new URL('../icon.png', import.meta.url);

const drawn = new Resvg(readFileSync(SOURCE, 'utf8'), { fitTo: { mode: 'width', value: 128 } }).render().asPng();
if (!process.argv.includes('--check')) {
  writeFileSync(PICTURE, drawn);
} else if (!drawn.equals(readFileSync(PICTURE))) {
  console.error('icon.png is not current: node scripts/icon.mjs');
  process.exitCode = 1;
}
