/** The beginning: the page is there at once, and what the program knows comes after it. */
import { effect } from '@preact/signals';
import { render } from 'preact';

import { attend, type Closing, enter, Failed, onEntered } from './api';
import { focusQuestion, followKeys } from './keys';
import type { Happening } from './protocol';
import { asked, resume } from './state/asking';
import { loadFolders, loadLedger, loadStatus, loadThreads, lookAgain, openThread, recheckSoon } from './state/knowing';
import { followDrops } from './state/opening';
import {
  chosenScope,
  connected,
  draft,
  fresh,
  locked,
  newThread,
  prompts,
  serverState,
  standingTold,
  tell,
  tellFailure,
  thread,
  threads,
} from './state/page';
import { followAddress, go, hashOf, isLink, route } from './state/route';
import { step } from './state/source';
import { applyTheme } from './state/theme';
import { editor } from './surface';
import { App } from './views/App';
import { words } from './words';
import { language } from './words/language';

document.documentElement.lang = language;
applyTheme();
followAddress();
followKeys();
if (editor === undefined) {
  followDrops();
}
render(<App />, document.body);
performance.mark('lens-interactive');

const SOON_MILLISECONDS = 100;
let loading: ReturnType<typeof setTimeout> | undefined;

/** Other tabs ask, too: several answers at once are one look. */
function threadsSoon(): void {
  clearTimeout(loading);
  loading = setTimeout(() => {
    loadThreads().catch(tellFailure);
  }, SOON_MILLISECONDS);
}

/** Of a request that would have to start what answers, which is for the user to say. */
const NOT_STARTED = 'lens.notStarted';
const CANCELLED = 'lens.cancelled';

let wasLost = false;
let leave: Closing = () => undefined;

function happened(happening: Happening): void {
  switch (happening.type) {
    case 'drift':
      recheckSoon(happening.uri);
      break;
    case 'answered':
      threadsSoon();
      break;
    case 'notice':
      tell(happening.message);
      break;
    case 'server': {
      const comes = happening.state === 'running' && serverState.value !== 'running';
      serverState.value = happening.state;
      if (editor === undefined) {
        threadsSoon();
      } else if (comes) {
        void begin();
      }
      break;
    }
    case 'standing':
      standingTold.value = happening;
      break;
    case 'prompt':
      prompts.value = [...prompts.value.filter(({ id }) => id !== happening.id), happening];
      break;
    case 'prompt-over':
      prompts.value = prompts.value.filter(({ id }) => id !== happening.id);
      break;
    case 'show':
      shown(happening);
      break;
    case 'step':
      void step(happening.by);
      break;
    case 'changed':
      void begin();
      break;
  }
}

/** A command of the editor leads to a part of the page. */
function shown({
  view,
  thread: name = null,
  draft: typed,
  scope,
  early = false,
}: Extract<Happening, { readonly type: 'show' }>): void {
  if (early && asked.value) {
    return; // it comes late: the question would be out of sight
  }
  if (view !== 'ask') {
    go(view === 'map' ? { view, cluster: null } : { view });
    return;
  }
  if (typed !== undefined) {
    draft.value = typed;
  }
  if (scope !== undefined) {
    chosenScope.value = { kind: 'chosen', ...scope };
  }
  if (name === null) {
    fresh.value = newThread();
  }
  go({ view: 'ask', thread: name });
  void resume();
  requestAnimationFrame(focusQuestion);
}

/** Uses the link, if the address is one, and follows what happens. */
async function come(): Promise<void> {
  if (editor === undefined) {
    await enter(hashOf(route.value));
  }
  leave();
  locked.value = false;
  leave = attend(
    happened,
    (is) => {
      connected.value = is;
      if (is && wasLost) {
        void begin();
      }
      wasLost = !is;
    },
    ({ status }) => {
      connected.value = false;
      locked.value = status === 401;
    },
  );
  if (editor === undefined) {
    await begin();
  }
}

async function begin(): Promise<void> {
  try {
    await loadFolders(); // by which the others name their files
    await Promise.all([loadStatus(), resume().then(loadThreads)]); // what goes on first: a thread is joined with that
    void loadLedger();
  } catch (error) {
    if (error instanceof Failed && error.status === 401) {
      return; // the banner says it
    }
    if (error instanceof Failed && error.code === NOT_STARTED) {
      return; // so does the line above the question
    }
    if (error instanceof Failed && error.code === CANCELLED) {
      return; // the search starts anew, and so does this
    }
    tell(words.failures.start(error instanceof Error ? error.message : String(error)), { bad: true });
  }
}

effect(() => {
  const name = thread.value;
  if (name !== null && threads.value !== null) {
    void openThread(name).catch(tellFailure);
  }
});
effect(() => {
  if (thread.value !== null) {
    void lookAgain(thread.value).catch(tellFailure);
  }
});
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') {
    recheckSoon();
  }
});
addEventListener('hashchange', () => {
  if (isLink(location.hash)) {
    void come(); // a new link was opened in the tab of an old one
  }
});
if (editor === undefined) {
  onEntered(() => void come());
}
void come();
