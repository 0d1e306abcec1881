/** Which part of the page is shown: kept in the address, so that Back, Forward and a reload mean what they say. */
import { signal } from '@preact/signals';

import { editor, recall, remember } from '../surface';

/** A part of the page. `thread` null is a new one. */
export type Route =
  | { readonly view: 'ask'; readonly thread: string | null }
  | { readonly view: 'map'; readonly cluster: string | null }
  | { readonly view: 'sent' }
  | { readonly view: 'sources' }
  | { readonly view: 'settings' };

/** What the address says. */
export function routeOf(hash: string): Route {
  const [, view = '', ...rest] = hash.replace(/^#/, '').split('/');
  const what = decoded(rest.join('/')) || null;
  switch (view) {
    case 'thread':
      return { view: 'ask', thread: what };
    case 'map':
      return { view: 'map', cluster: what };
    case 'sent':
    case 'sources':
    case 'settings':
      return { view };
    default:
      return { view: 'ask', thread: null };
  }
}

/** The address of a part. */
export function hashOf(route: Route): string {
  switch (route.view) {
    case 'ask':
      return route.thread === null ? '#/' : `#/thread/${encodeURIComponent(route.thread)}`;
    case 'map':
      return route.cluster === null ? '#/map' : `#/map/${encodeURIComponent(route.cluster)}`;
    default:
      return `#/${route.view}`;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** Whether the address is the program's link, which says nothing of what is shown. */
export function isLink(hash: string): boolean {
  return hash.startsWith('#token=');
}

/** Without an address of its own a page begins where it was left. */
function beginning(): string {
  return editor === undefined && !isLink(location.hash) ? location.hash : (recall('route') ?? '');
}

/** Whether the address that the page was opened with leads to a thread. */
export const ledToThread = editor === undefined && location.hash.startsWith('#/thread/');

/** What is shown now. */
export const route = signal<Route>(routeOf(beginning()));

/** Goes there; `replace` leaves no way back to what was shown. */
export function go(to: Route, { replace = false } = {}): void {
  const hash = hashOf(to);
  remember('route', hash);
  if (editor === undefined && replace) {
    history.replaceState(null, '', hash);
  } else if (editor === undefined && location.hash !== hash) {
    history.pushState(null, '', hash);
  }
  route.value = to;
}

/** Follows Back and Forward. */
export function followAddress(): void {
  if (editor !== undefined) {
    return;
  }
  const changed = () => {
    if (!isLink(location.hash)) {
      route.value = routeOf(location.hash);
      remember('route', location.hash);
    }
  };
  addEventListener('popstate', changed);
  addEventListener('hashchange', changed);
}
