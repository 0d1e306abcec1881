// Builds the extension: what activates, and apart from it what only a running server needs.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as esbuild from 'esbuild';

/** The parts that are loaded when they are needed stay files of their own: activation does not read them. */
const LATER = ['./session.js'];

const options = {
  entryPoints: ['src/extension.ts', 'src/session.ts'],
  outdir: 'dist',
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  external: ['vscode', ...LATER],
  minify: true,
  keepNames: true,
  metafile: true,
  sourcemap: 'linked',
  legalComments: 'none',
  logLevel: 'warning',
};

/** The licences of the packages that are part of the bundle, as these want to be told. */
function notices(metafile) {
  const inside = Object.keys(metafile.inputs).map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
  const texts = [...new Set(inside)]
    .filter(Boolean)
    .sort()
    .map((folder) => {
      const { name, version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
      const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
      if (licence === undefined) {
        throw new Error(`${name} has no licence`);
      }
      return `${name} ${version}\n\n${readFileSync(path.join(folder, licence), 'utf8').trim()}\n`;
    });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

if (process.argv.includes('--watch')) {
  const context = await esbuild.context(options);
  await context.watch();
} else {
  const { metafile } = await esbuild.build(options);
  writeFileSync('dist/ThirdPartyNotices.txt', notices(metafile));
}
