/** The beginning: the page is there at once, and what the program knows comes after it. */
import { effect } from '@preact/signals';
import { render } from 'preact';

import { attend, type Closing, enter, Failed } from './api';
import { followKeys } from './keys';
import { resume } from './state/asking';
import { loadFolders, loadLedger, loadStatus, loadThreads, openThread, recheckSoon } from './state/knowing';
import { connected, locked, serverState, tell, tellFailure, thread, threads } from './state/page';
import { followAddress } from './state/route';
import { applyTheme } from './state/theme';
import { App } from './views/App';
import { words } from './words';

applyTheme();
followAddress();
followKeys();
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

let wasLost = false;
let leave: Closing = () => undefined;

/** Uses the link, if the address is one, and follows what happens. */
async function come(): Promise<void> {
  await enter();
  leave();
  locked.value = false;
  leave = attend(
    (happening) => {
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
        case 'server':
          serverState.value = happening.state;
          threadsSoon();
          break;
      }
    },
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
  await begin();
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
    tell(words.failures.start(error instanceof Error ? error.message : String(error)), { bad: true });
  }
}

effect(() => {
  const name = thread.value;
  if (name !== null && threads.value !== null) {
    void openThread(name).catch(tellFailure);
  }
});
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') {
    recheckSoon();
  }
});
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#token=')) {
    void come(); // a new link was opened in the tab of an old one
  }
});
void come();
