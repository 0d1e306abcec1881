/** What the empty page teaches: what is searched, three things to try, and what was open before. */
import type { JSX } from 'preact';
import { forget, reopen, shut } from '../state/opening';
import { adding, draft, folders, recent } from '../state/page';
import { askedFolders } from '../state/sources';
import { words } from '../words';
import { Icon } from './icons';

export function Home(): JSX.Element {
  const before = recent.value ?? [];
  return (
    <div class="home">
      <section class="open-folders" aria-label={words.home.open}>
        <h2 class="sr">{words.home.open}</h2>
        <p class="folders">
          {folders.value.length > 0 ? words.ask.folders(askedFolders.value.map(({ name }) => name)) : words.home.none}
        </p>
        <ul class="chips">
          {folders.value.map(({ uri, name, opened }) => (
            <li key={uri} class={askedFolders.value.some((asked) => asked.uri === uri) ? 'chip' : 'chip unasked'}>
              <Icon name="folder" />
              <span title={pathOf(uri)}>{name}</span>
              {opened === true && (
                <button
                  type="button"
                  class="quiet"
                  title={words.home.shut(name)}
                  aria-label={words.home.shut(name)}
                  onClick={() => void shut(uri)}
                >
                  <Icon name="close" />
                </button>
              )}
            </li>
          ))}
          <li>
            <button type="button" class="add-folder" onClick={() => add()}>
              <Icon name="plus" />
              {words.home.add}
            </button>
          </li>
        </ul>
      </section>
      <div class="home-columns">
        <section aria-labelledby="home-try">
          <h2 id="home-try">{words.home.tryTitle}</h2>
          <ol class="tries">
            {words.home.tries.map(({ title, says, begins }) => (
              <li key={title}>
                <button type="button" onClick={() => begin(begins)}>
                  <strong>{title}</strong>
                  <span class="begins">{begins}</span>
                  <span class="says">{says}</span>
                </button>
              </li>
            ))}
          </ol>
        </section>
        {before.length > 0 && (
          <section aria-labelledby="home-recent">
            <h2 id="home-recent">{words.home.recent}</h2>
            <ul class="recent">
              {before.map(({ path, name, shown, there }) => (
                <li key={path} class="recent-folder">
                  <button type="button" class="reopen" disabled={!there} onClick={() => reopen(path)}>
                    <Icon name="folder" />
                    <span>
                      <strong>{name}</strong>
                      <span class="path">{there ? shown : words.home.gone(shown)}</span>
                    </span>
                  </button>
                  <button
                    type="button"
                    class="quiet"
                    title={words.home.forget(name)}
                    aria-label={words.home.forget(name)}
                    onClick={() => forget(path)}
                  >
                    <Icon name="close" />
                  </button>
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </div>
  );
}

function add(): void {
  adding.value = { dropped: null };
}

/** Begins a question, with what is to be filled in chosen already: what is typed takes its place. */
function begin(question: string): void {
  draft.value = question;
  requestAnimationFrame(() => {
    const box = document.querySelector<HTMLTextAreaElement>('#question');
    const at = question.indexOf('…');
    box?.focus();
    box?.setSelectionRange(at, at < 0 ? question.length : at + 1);
  });
}

function pathOf(uri: string): string {
  return decodeURIComponent(uri.replace(/^file:\/\//, ''));
}
