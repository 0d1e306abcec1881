import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Said, SERVER_SETTINGS, serverSettings, userText } from '../../src/settings';

function told(said: Record<string, Said>, trusted = true): Readonly<Record<string, unknown>> {
  return serverSettings((name) => said[name], trusted);
}

test('what nobody says is not told', () => {
  assert.deepEqual(told({ 'model.baseUrl': { globalValue: '' }, 'budget.calls': { globalValue: null } }), {});
});

test('a workspace names no host, no program and no place on disk', () => {
  const hostile: Record<string, Said> = {};
  for (const name of [
    'model.baseUrl',
    'model.name',
    'model.contextTokens',
    'model.callSeconds',
    'model.prices',
    'extraRoots',
    'documents.ocr',
  ]) {
    hostile[name] = { workspaceValue: 'https://evil.example', workspaceFolderValue: 'https://evil.example' };
  }
  assert.deepEqual(told(hostile), {});
  assert.equal(
    userText((name) => ({ workspaceValue: name }), 'path'),
    '',
  );
});

test('limits only go down', () => {
  const lower = { globalValue: 5, workspaceValue: 3, workspaceFolderValue: 4 };
  assert.deepEqual(told({ 'budget.calls': lower, 'budget.cost': { workspaceValue: 1 } }), {
    'budget.calls': 3,
    'budget.cost': 1,
  });
});

test('what a workspace says of time and tokens stands apart: only the user raises them', () => {
  const said = {
    'budget.tokens': { globalValue: 500_000, workspaceValue: 900_000, workspaceFolderValue: 800_000 },
    'budget.seconds': { workspaceValue: 3_600 },
  };
  assert.deepEqual(told(said), {
    'budget.tokens': 500_000,
    'workspace.budget.tokens': 800_000,
    'workspace.budget.seconds': 3_600,
  });
  assert.deepEqual(told(said, false), { 'budget.tokens': 500_000, mode: 'evidence' });
});

test('a limit of nothing is a limit', () => {
  assert.deepEqual(told({ 'budget.calls': { globalValue: 0, workspaceValue: 9 } }), { 'budget.calls': 0 });
});

test('a limit that is no number is not taken for none', () => {
  assert.deepEqual(told({ 'budget.calls': { globalValue: 5, workspaceValue: 'many' } }), { 'budget.calls': 'many' });
});

test('exclusions add up', () => {
  const exclude = { globalValue: ['a', 'b'], workspaceValue: ['b', 'c'], workspaceFolderValue: ['d'] };
  assert.deepEqual(told({ exclude }), { exclude: ['a', 'b', 'c', 'd'] });
});

test('of several modes the one that sends least holds', () => {
  assert.equal(told({ mode: { globalValue: 'evidence', workspaceValue: 'deep' } }).mode, 'evidence');
  assert.equal(told({ mode: { globalValue: 'deep', workspaceValue: 'fast' } }).mode, 'fast');
  assert.equal(told({ mode: { globalValue: 'auto', workspaceValue: 'deep' } }).mode, 'auto');
  assert.equal(told({ mode: { globalValue: 'deep' } }).mode, 'deep');
});

test('a workspace does not ask for a model where the user does not', () => {
  assert.equal(told({ mode: { workspaceValue: 'deep' } }).mode, undefined);
  assert.equal(told({ mode: { workspaceValue: 'fast' } }).mode, 'auto');
  assert.equal(told({ mode: { globalValue: 'auto', workspaceFolderValue: 'fast' } }).mode, 'auto');
  assert.equal(told({ mode: { workspaceValue: 'evidence' } }).mode, 'evidence');
});

test('without trust there is no model, and the workspace can only leave out more', () => {
  const said: Record<string, Said> = Object.fromEntries(
    SERVER_SETTINGS.map((name) => [name, { globalValue: `user ${name}`, workspaceValue: `workspace ${name}` }]),
  );
  said.exclude = { globalValue: ['a'], workspaceValue: ['b'] };
  const settings = told(said, false);
  assert.equal(settings.mode, 'evidence');
  assert.deepEqual(settings.exclude, ['a', 'b']);
  assert.deepEqual(
    Object.keys(settings).filter((name) => name.startsWith('model.')),
    [],
  );
  assert.ok(!JSON.stringify(settings).includes('workspace '));
});
