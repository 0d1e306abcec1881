// Builds the extension: what activates, and apart from it what only a running server needs.
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import * as esbuild from 'esbuild';

/** The parts that are loaded when they are needed stay files of their own: activation does not read them. */
const LATER = ['./session.js'];

/** What all modules of a bundle get for the editor's API: see there. */
const EDITOR = path.resolve('src/vscode.ts');
const editor = {
  name: 'editor',
  setup(build) {
    build.onResolve({ filter: /^vscode$/ }, ({ kind, importer }) =>
      kind === 'import-statement' && importer !== EDITOR ? { path: EDITOR } : { external: true },
    );
  },
};

const options = {
  entryPoints: ['src/extension.ts', 'src/session.ts', 'src/uninstall.ts'],
  outdir: 'dist',
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  external: LATER,
  plugins: [editor],
  minify: true,
  metafile: true,
  sourcemap: 'linked',
  legalComments: 'none',
  logLevel: 'warning',
};

/** The viewer of PDFs is a page of its own in the window, and its worker a thread of that page. */
const viewer = {
  entryPoints: [
    { in: 'src/viewer/main.ts', out: 'viewer' },
    { in: 'src/viewer/viewer.css', out: 'viewer' },
    { in: 'pdfjs-dist/legacy/build/pdf.worker.mjs', out: 'worker' },
  ],
  outdir: 'dist/pdf',
  bundle: true,
  format: 'iife',
  platform: 'browser',
  target: 'chrome132',
  define: { 'import.meta.url': 'self.location.href' },
  minify: true,
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/** What pdf.js reads when a document needs it: maps of characters, fonts, decoders of images; with their licences. */
function copyData() {
  const from = path.dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  // Not what runs scripts of documents, and not what is for browsers without WebAssembly.
  const filter = (file) => !/quickjs|nowasm/i.test(path.basename(file));
  for (const folder of ['cmaps', 'standard_fonts', 'wasm']) {
    cpSync(path.join(from, folder), path.join('dist/pdf', folder), { recursive: true, filter });
  }
}

/**
 * The page of the view is that of `lens desktop`, as it is committed there with the licences of what is in it, and the
 * colours of the editor for it.
 */
const PAGE = '../lens_lsp/desktop/static';
const view = {
  entryPoints: [{ in: 'src/views/editor.css', out: 'editor' }],
  outdir: 'dist/answer',
  bundle: true,
  minify: true,
  metafile: true,
  logLevel: 'warning',
};

function copyPage() {
  for (const name of ['page.js', 'page.css']) {
    cpSync(path.join(PAGE, name), path.join('dist/answer', name));
  }
}

/** The licences of the packages that are part of the bundle, as these want to be told. */
function notices(...metafiles) {
  const inputs = metafiles.flatMap((metafile) => Object.keys(metafile.inputs));
  const inside = inputs.map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
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

copyData();
copyPage();
if (process.argv.includes('--watch')) {
  for (const each of [options, viewer, view]) {
    const context = await esbuild.context(each);
    await context.watch();
  }
} else {
  const built = await Promise.all([options, viewer, view].map((each) => esbuild.build(each)));
  const ofPage = readFileSync(path.join(PAGE, 'ThirdPartyNotices.txt'), 'utf8');
  const own = notices(...built.map(({ metafile }) => metafile));
  writeFileSync('dist/ThirdPartyNotices.txt', `${own}\n${'-'.repeat(80)}\n\n${ofPage}`);
  // What went in, for the bill of materials of a release.
  const told = process.argv[2]?.match(/^--metafile=(.+)$/)?.[1];
  if (told !== undefined) {
    const all = (part) => Object.assign({}, ...built.map(({ metafile }) => metafile[part]));
    writeFileSync(told, JSON.stringify({ inputs: all('inputs'), outputs: all('outputs') }));
  }
}
