/** `npm run pictures`: the pictures of the documentation, out of those that the stories took. */
import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';

import { repository, shots } from './rig.mjs';

const PICTURES = {
  'desktop-answer': 'source',
  'desktop-map': 'map',
  'desktop-dark': 'dark-source',
  'desktop-home': 'home-recent',
};
const to = path.join(repository, 'docs/pictures');

mkdirSync(to, { recursive: true });
for (const [name, shot] of Object.entries(PICTURES)) {
  copyFileSync(path.join(shots, `${shot}.png`), path.join(to, `${name}.png`));
}
