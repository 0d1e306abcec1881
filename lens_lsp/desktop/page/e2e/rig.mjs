/** Where everything lies that the stories need, and what is in the folder that they ask. */
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { docs } from '../../../../vscode-extension/e2e/corpus.mjs';

export { Canary, hostileMarkdown } from '../../../../vscode-extension/e2e/canary.mjs';
export { PROOF, QUESTION, SOURCE } from '../../../../vscode-extension/e2e/corpus.mjs';
export { Endpoint } from '../../../../vscode-extension/e2e/endpoint.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
export const repository = path.resolve(here, '../../../..');
export const browser = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const python = process.env.PYTHON ?? 'python3';
/** What a run makes, and its pictures. Each story empties its own folder first. */
export const scratch = process.env.LENS_E2E_SCRATCH ?? path.join(here, '.run');
export const shots = path.join(here, 'shots');

/** What is missing here, in words; empty when the stories can run. */
export function missing() {
  return [browser].filter((file) => !existsSync(file));
}

/** An empty folder for a story. */
export function emptied(name) {
  const folder = path.join(scratch, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** A copy of the library's papers with a PDF, a table and a program beside it; gives the folder. */
export function corpus(within) {
  const folder = docs(path.join(within, 'docs'));
  cpSync(path.join(repository, 'vscode-extension/e2e/fixtures/ferry.pdf'), path.join(folder, 'ferry.pdf'));
  const towns = ['town,harbour master,berths', 'Arlen,"Bell, Ada",14', 'Wick,Tom Osei,9'];
  writeFileSync(path.join(folder, 'harbours.csv'), `${towns.join('\n')}\n`);
  writeFileSync(path.join(folder, 'tide.py'), TIDE);
  writeFileSync(path.join(folder, 'lease.md'), LEASE);
  return folder;
}

const TIDE = `"""Tides."""


def slack_minutes(range_metres: float) -> float:
    # The slack at Arlen pier lasts nineteen minutes at springs.
    return 19.0 if range_metres > 4 else 26.0
`;

export const LEASE_SENTENCE = 'The **lease of the boathouse** ends on 30 June 2031.';

const LEASE = `---
title: The boathouse
---

# Lease

Some words about the shore come first.

## Term

${LEASE_SENTENCE} It can be renewed twice.

| Year | Rent of the boathouse |
| ---: | ---: |
| 2025 | 410 |
| 2026 | 425 |
`;
