/** Drawings of 16 by 16 in the colour of the text; all are decoration. */
import type { JSX } from 'preact';

const PATHS = {
  ask: 'M8 13V3M3.5 7.5 8 3l4.5 4.5',
  stop: 'M4.5 4.5h7v7h-7z',
  close: 'm4 4 8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  map: 'M5.5 4.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0M14.5 6a2 2 0 1 1-4 0 2 2 0 0 1 4 0M9 12.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0M5.4 4.8l5.1.9M4.3 6.4l2 4.2M8.3 11l2.8-3.4',
  sent: 'M2.5 8 13.5 3l-4 10.5L7.5 9zM7.5 9l6-6',
  settings: 'M2 5h7M13 5h1M13 5a2 2 0 1 1-4 0 2 2 0 0 1 4 0M2 11h1M7 11h7M7 11a2 2 0 1 1-4 0 2 2 0 0 1 4 0',
  help: 'M2.5 3.5h11a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1M4.5 6.5h0M7 6.5h0M9.3 6.5h0M11.6 6.5h0M5 9.7h6',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  up: 'm4 10 4-4 4 4',
  down: 'm4 6 4 4 4-4',
  editor: 'M9 3h4v4M13 3 7.5 8.5M11 9v4H3V5h4',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  again: 'M13 8a5 5 0 1 1-1.5-3.5M13 2.5V5h-2.5',
  check: 'M12.5 8.5v5h-10v-10h6M5.5 7l2.5 2.5 6-6.5',
  wrong: 'M4 14V2.5h8.5L10.5 6l2 3.5H4',
  insert: 'M8 2.5v7M5 6.5l3 3 3-3M2.5 13h11',
  export: 'M8 9.5v-7M5 5.5l3-3 3 3M2.5 9.5v4h11v-4',
  document: 'M4 1.5h5l3 3v10H4zM9 1.5v3h3M6 8h4M6 11h4',
  folder: 'M1.5 12.5v-9h4.5l1.5 2h7v7z',
  sources: 'M1.5 12.5v-9h4.5l1.5 2h7v7zM5.5 9l2 1.8L11 7.5',
  pin: 'M5.5 2h5M6.5 2v4l-2 3h7l-2-3V2M8 9v5',
  bin: 'M2.5 4h11M6 4V2.5h4V4M4 4l.7 9.5h6.6L12 4M6.7 6.5v4.5M9.3 6.5v4.5',
  preview: 'M1.5 8s2.5-4 6.5-4 6.5 4 6.5 4-2.5 4-6.5 4-6.5-4-6.5-4ZM9.5 8a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0',
} as const;

export function Icon({ name }: { readonly name: keyof typeof PATHS }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** How ready Lens is, by a shape of its own each: a tick, a ring, a hand, a broken line, a disc. */
const STANDINGS = {
  ready: 'm3.5 8.5 3 3 6-7',
  settingUp: 'M8 2.5a5.5 5.5 0 1 1-5.5 5.5',
  needsYou: 'M8 2.5v6.5M8 12.6v.2',
  unreachable: 'M2 8h4M10 8h4M6.5 5l3 6',
  offline: 'M2.5 3.5h11v7h-11zM5.5 13.5h5',
} as const;

export function StandingIcon({ is }: { readonly is: keyof typeof STANDINGS }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={STANDINGS[is]} />
    </svg>
  );
}

/** What a state looks like, apart from its colour: a disc, a half, a ring, a cross, a diamond. */
const SHAPES = {
  covered: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Z',
  contested: 'M8 2.5v11a5.5 5.5 0 0 0 0-11Z',
  missing: 'm4.2 4.2 7.6 7.6M11.8 4.2l-7.6 7.6',
  gone: 'm4.2 4.2 7.6 7.6M11.8 4.2l-7.6 7.6',
  searching: '',
  verified: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Z',
  moved: 'M8 2 14 8 8 14 2 8z',
  withdrawn: 'm4.2 4.2 7.6 7.6M11.8 4.2l-7.6 7.6',
  unverifiable: 'M3 3h10v10H3z',
} as const;

const RINGED = new Set(['searching', 'contested']);
const DRAWN = new Set(['missing', 'gone', 'withdrawn', 'unverifiable']);

/** A state by its shape; say its name beside it. */
export function StateShape({ state }: { readonly state: keyof typeof SHAPES }): JSX.Element {
  return (
    <svg class={`shape shape-${state}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {RINGED.has(state) && <circle class="ring" cx="8" cy="8" r="5.5" />}
      <path class={DRAWN.has(state) ? 'drawn' : 'filled'} d={SHAPES[state]} />
    </svg>
  );
}
