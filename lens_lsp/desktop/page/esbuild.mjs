// Builds the page into ../static, which is committed: the same sources and packages give the same bytes.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));
/** Another folder may be named, to compare with what is committed. */
const to = path.resolve(process.argv[2] ?? path.join(here, '../static'));

/** The licences of the packages that are part of the bundle, as these want to be told. */
function notices({ inputs }) {
  const inside = Object.keys(inputs).map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
  const texts = [...new Set(inside)]
    .filter(Boolean)
    .sort()
    .map((folder) => {
      const { name, version } = JSON.parse(readFileSync(path.join(here, folder, 'package.json'), 'utf8'));
      const licence = readdirSync(path.join(here, folder)).find((file) => /^licen[cs]e/i.test(file));
      if (licence === undefined) {
        throw new Error(`${name} has no licence`);
      }
      return `${name} ${version}\n\n${readFileSync(path.join(here, folder, licence), 'utf8').trim()}\n`;
    });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

rmSync(to, { recursive: true, force: true });
mkdirSync(to, { recursive: true });
const { metafile } = await esbuild.build({
  absWorkingDir: here,
  entryPoints: [
    { in: 'src/main.tsx', out: 'page' },
    { in: 'src/style/page.css', out: 'page' },
  ],
  outdir: to,
  bundle: true,
  format: 'iife',
  platform: 'browser',
  target: ['chrome123', 'firefox120', 'safari17.5'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
});
for (const name of ['index.html', 'icon.svg']) {
  copyFileSync(path.join(here, 'src', name), path.join(to, name));
}
writeFileSync(path.join(to, 'ThirdPartyNotices.txt'), notices(metafile));
// What went in, for the bill of materials of a release.
const told = process.argv[3]?.match(/^--metafile=(.+)$/)?.[1];
if (told !== undefined) {
  writeFileSync(told, JSON.stringify(metafile));
}
