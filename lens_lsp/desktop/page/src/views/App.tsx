import type { JSX } from 'preact';

import { adding, announcement, helpIsOpen, notice, prompts, turnsOf } from '../state/page';
import { route } from '../state/route';
import { source } from '../state/source';
import { alarm } from '../state/standing';
import { words } from '../words';
import { AddDialog } from './AddDialog';
import { ConsentDialog } from './ConsentDialog';
import { Conversation } from './Conversation';
import { HelpSheet } from './HelpSheet';
import { MapView } from './MapView';
import { Rail, TopBar } from './Rail';
import { SentView } from './SentView';
import { SettingsView } from './SettingsView';
import { SourcePane } from './SourcePane';
import { SourcesView } from './SourcesView';

export function App(): JSX.Element {
  const turn = [...turnsOf.value.values()].flat().find(({ consent }) => consent !== null);
  const asked = turn?.consent ?? prompts.value[0];
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        {words.skip}
      </button>
      <div class="sr" role="status" aria-live="polite">
        {announcement.value}
      </div>
      <div class={source.value === null ? 'frame' : 'frame with-source'}>
        <Rail />
        <TopBar />
        <main>
          <Banner />
          <View />
        </main>
        {source.value !== null && <SourcePane source={source.value} />}
      </div>
      <div class="notices" role="status" aria-live="polite">
        {notice.value !== null && <p class={notice.value.bad ? 'notice bad' : 'notice'}>{notice.value.text}</p>}
      </div>
      {asked != null && <ConsentDialog key={asked.id} prompt={asked} turn={turn} />}
      {adding.value !== null && <AddDialog dropped={adding.value.dropped} />}
      {helpIsOpen.value && <HelpSheet />}
    </>
  );
}

/** What keeps the page from working. */
function Banner(): JSX.Element | null {
  return alarm.value === null ? null : (
    <p class="banner" role="alert">
      {alarm.value}
    </p>
  );
}

function skip(): void {
  document.querySelector<HTMLElement>('#question, main h1')?.focus();
}

function View(): JSX.Element {
  const now = route.value;
  switch (now.view) {
    case 'map':
      return <MapView chosen={now.cluster} />;
    case 'sent':
      return <SentView />;
    case 'sources':
      return <SourcesView />;
    case 'settings':
      return <SettingsView />;
    case 'ask':
      return <Conversation />;
  }
}
