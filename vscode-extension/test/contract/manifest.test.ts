/** What package.json says of the extension, against its code and its files. The settings' meaning is compared with the
 * server's in `tests/vscode/`. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { SERVER_SETTINGS } from '../../src/settings';
import { filesIn, jsonOf, textOf } from './files';

interface Setting {
  readonly scope?: string;
  readonly default?: unknown;
  readonly markdownDescription?: string;
  readonly order?: number;
}

interface Manifest {
  readonly icon: string;
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly supported: unknown; readonly restrictedConfigurations: readonly string[] };
    readonly virtualWorkspaces: { readonly supported: unknown };
  };
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string; readonly category: string }[];
    readonly menus: Readonly<Record<string, readonly { readonly command?: string; readonly when?: string }[]>>;
    readonly keybindings: readonly { readonly command: string }[];
    readonly configuration: readonly { readonly properties: Readonly<Record<string, Setting>> }[];
    readonly viewsContainers: Readonly<Record<string, readonly { readonly icon: string }[]>>;
    readonly walkthroughs: readonly {
      readonly steps: readonly {
        readonly id: string;
        readonly media: { readonly markdown: string };
        readonly completionEvents: readonly string[];
      }[];
    }[];
    readonly chatParticipants: readonly {
      readonly id: string;
      readonly commands: readonly { readonly name: string }[];
    }[];
    readonly languageModelTools: readonly { readonly name: string }[];
    readonly mcpServerDefinitionProviders: readonly { readonly id: string }[];
  };
}

const MANIFEST = jsonOf<Manifest>('package.json');
const { contributes, capabilities } = MANIFEST;
const SETTINGS = Object.assign({}, ...contributes.configuration.map((group) => group.properties)) as Record<
  string,
  Setting
>;
const SOURCES = filesIn('src', '.ts').map(textOf).join('\n');
const COMMANDS = contributes.commands.map(({ command }) => command);

/** What a workspace must never say: where text goes, with which key and model, what is run, and which folders are read. */
const MACHINE = [
  'lens.path',
  'lens.interpreter',
  'lens.model.baseUrl',
  'lens.model.name',
  'lens.model.contextTokens',
  'lens.model.callSeconds',
  'lens.model.prices',
  'lens.extraRoots',
  'lens.documents.ocr',
];

/** What even a workspace that is not trusted may say: it leaves out more, or changes what is shown. */
const HARMLESS = ['lens.exclude', 'lens.decorations', 'lens.diagnostics.notes', 'lens.showNotifications'];

test('there are at most 22 settings, each with a scope, a place and a description', () => {
  assert.ok(Object.keys(SETTINGS).length <= 22);
  for (const [name, setting] of Object.entries(SETTINGS)) {
    assert.match(name, /^lens\./);
    assert.match(setting.scope ?? 'none', /^(machine|resource|window)$/, name);
    assert.match(setting.markdownDescription ?? 'none', /^%setting\..+%$/, name);
    assert.equal(typeof setting.order, 'number', name);
    assert.ok('default' in setting, name);
  }
});

test('the server is told all settings but those of this side', () => {
  const ours = ['lens.path', 'lens.interpreter', 'lens.decorations', 'lens.showNotifications', 'lens.trace.server'];
  assert.deepEqual([...ours, ...SERVER_SETTINGS.map((name) => `lens.${name}`)].sort(), Object.keys(SETTINGS).sort());
});

test('the README lists every setting', () => {
  const readme = textOf('README.md');
  for (const name of Object.keys(SETTINGS)) {
    assert.ok(readme.includes(`\`${name}\``) || readme.includes(`\`.${name.split('.').at(-1)}\``), name);
  }
});

test('no workspace names an endpoint, a model, a program or a folder', () => {
  for (const name of MACHINE) {
    assert.equal(SETTINGS[name]?.scope, 'machine', name);
  }
});

test('no setting holds a key', () => {
  for (const name of Object.keys(SETTINGS)) {
    assert.doesNotMatch(name, /key|secret|password|credential/i);
  }
});

test('a workspace that is not trusted says nothing but what is harmless', () => {
  const { supported, restrictedConfigurations } = capabilities.untrustedWorkspaces;
  assert.equal(supported, 'limited');
  const expected = Object.keys(SETTINGS).filter((name) => !HARMLESS.includes(name));
  assert.deepEqual([...restrictedConfigurations].sort(), expected.sort());
});

test('files on disk are needed', () => {
  assert.equal(capabilities.virtualWorkspaces.supported, false);
});

test('every command has a title, the category Lens, and code', () => {
  assert.deepEqual(COMMANDS, [...new Set(COMMANDS)]);
  const registered = [...SOURCES.matchAll(/\b(?:registerCommand|command)\(\s*'([\w.]+)'/g)].map(([, id]) => id);
  for (const { command, title, category } of contributes.commands) {
    assert.equal(category, 'Lens', command);
    assert.match(title, /^%command\..+%$/);
    assert.ok(registered.includes(command), command);
  }
});

test('menus, keys and walkthrough steps name commands that exist', () => {
  const menus = Object.values(contributes.menus).flat();
  const steps = contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);
  const named = [
    ...menus.flatMap(({ command }) => command ?? []),
    ...contributes.keybindings.map(({ command }) => command),
    ...steps
      .flatMap(({ completionEvents }) => completionEvents)
      .flatMap((event) => event.match(/^onCommand:(.+)/)?.[1] ?? []),
    ...(textOf('package.nls.json').match(/(?<=\(command:)lens\.[^)]+/g) ?? []),
  ];
  assert.ok(named.length > 20);
  for (const command of named) {
    assert.ok(COMMANDS.includes(command), command);
  }
});

test('a command that needs an answer is offered only where there is one', () => {
  const palette = new Map((contributes.menus.commandPalette ?? []).map(({ command, when }) => [command, when]));
  for (const command of ['insertAnswer', 'copyAnswer', 'exportAnswer', 'showEvidence']) {
    assert.ok(palette.get(`lens.${command}`), command);
  }
});

test('walkthrough steps name settings that exist', () => {
  const events = contributes.walkthroughs
    .flatMap(({ steps }) => steps)
    .flatMap(({ completionEvents }) => completionEvents);
  for (const event of events) {
    const setting = event.match(/^onSettingChanged:(.+)/)?.[1];
    assert.ok(setting === undefined || setting in SETTINGS, event);
  }
});

test('there are six steps, one of them only where it is needed, each with its page in both languages', () => {
  const steps = contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);
  assert.equal(steps.length, 6);
  for (const { media } of steps) {
    assert.ok(existsSync(media.markdown), media.markdown);
    assert.ok(existsSync(media.markdown.replace(/\.md$/, '.nls.zh-cn.md')), media.markdown);
  }
});

test('the pictures that pages and the manifest name are there', () => {
  const icons = Object.values(contributes.viewsContainers).flat();
  const pages = ['README.md', ...filesIn('walkthrough', '.md')];
  const named = [
    MANIFEST.icon,
    ...icons.map(({ icon }) => icon),
    ...pages.flatMap((page) => textOf(page).match(/(?<=\]\((?:\.\.\/)?)images\/[^)]+/g) ?? []),
  ];
  assert.ok(named.length > 5);
  for (const picture of named) {
    assert.ok(existsSync(picture), picture);
  }
});

test('the icon is the one that its script draws', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/icon.mjs', '--check'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
});

test('the chat participant, its commands and the tool are those of the code', () => {
  for (const { id, commands } of contributes.chatParticipants) {
    assert.ok(SOURCES.includes(`createChatParticipant('${id}'`), id);
    for (const { name } of commands) {
      assert.ok(SOURCES.includes(`request.command === '${name}'`), name);
    }
  }
  for (const { name } of contributes.languageModelTools) {
    assert.match(SOURCES, new RegExp(`registerTool<\\w+>\\('${name}'`));
  }
});

test('the servers for agents are those of the code', () => {
  for (const { id } of contributes.mcpServerDefinitionProviders) {
    assert.ok(SOURCES.includes(`registerMcpServerDefinitionProvider('${id}'`), id);
  }
  assert.equal(contributes.mcpServerDefinitionProviders.length, 1);
});
