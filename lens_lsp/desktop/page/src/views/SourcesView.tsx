/** What is asked, by folder and by kind of file, and what of each folder is read, waits for OCR, or cannot be read. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';

import type { Coverage, Folder } from '../protocol';
import { shut } from '../state/opening';
import { adding, folders } from '../state/page';
import { go } from '../state/route';
import { askedFolders, askedKinds, askFolder, askKind, coverageOf, KINDS, type Kind, look } from '../state/sources';
import { MEANT } from '../text/leftOut';
import { words } from '../words';
import { Icon } from './icons';

const MOST_NAMED = 50;
const PICTURES_ALONE = 'no-text';

export function SourcesView(): JSX.Element {
  return (
    <div class="view sources">
      <h1 tabIndex={-1}>{words.sources.title}</h1>
      <p class="intro">{words.sources.intro}</p>
      <ul class="source-list">
        {folders.value.map((folder) => (
          <Source key={folder.uri} folder={folder} />
        ))}
      </ul>
      <button
        type="button"
        onClick={() => {
          adding.value = { dropped: null };
        }}
      >
        <Icon name="plus" />
        {words.home.add}
      </button>
      <fieldset class="kinds">
        <legend>{words.sources.kinds}</legend>
        {(Object.keys(KINDS) as Kind[]).map((kind) => {
          const on = askedKinds.value.includes(kind);
          return (
            <label key={kind} class="check">
              <input
                type="checkbox"
                checked={on}
                disabled={on && askedKinds.value.length === 1}
                onChange={({ currentTarget }) => askKind(kind, currentTarget.checked)}
              />
              <span>
                {words.sources.kindNames[kind]} <small>{KINDS[kind].map((end) => `.${end}`).join(' ')}</small>
              </span>
            </label>
          );
        })}
        <p class="hint">{words.sources.kindsHint}</p>
      </fieldset>
    </div>
  );
}

function Source({ folder: { uri, name, opened } }: { readonly folder: Folder }): JSX.Element {
  useEffect(() => {
    void look(uri, name);
  }, [uri]);
  const on = askedFolders.value.some((folder) => folder.uri === uri);
  const coverage = coverageOf.value.get(uri);
  return (
    <li class="source-folder">
      <div class="source-head">
        <label class="check">
          <input
            type="checkbox"
            checked={on}
            disabled={on && askedFolders.value.length === 1}
            onChange={({ currentTarget }) => askFolder(uri, currentTarget.checked)}
          />
          <strong>{name}</strong>
        </label>
        <span class="path">{decodeURIComponent(uri.replace(/^file:\/\//, ''))}</span>
        <button
          type="button"
          class="quiet"
          aria-label={words.sources.lookAt(name)}
          title={words.sources.lookAt(name)}
          disabled={coverage === null}
          onClick={() => void look(uri, name)}
        >
          <Icon name="check" />
        </button>
        {opened === true && (
          <button
            type="button"
            class="quiet"
            aria-label={words.home.shut(name)}
            title={words.home.shut(name)}
            onClick={() => void shut(uri)}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
      {coverage === null ? <p class="hint">{words.sources.looking}</p> : coverage && <State coverage={coverage} />}
    </li>
  );
}

function State({ coverage }: { readonly coverage: Coverage }): JSX.Element {
  const groups = new Map<string, string[]>();
  for (const { reason, path } of coverage.skipped) {
    groups.set(reason, [...(groups.get(reason) ?? []), path]);
  }
  const scans = groups.get(PICTURES_ALONE)?.length ?? 0;
  const left = [...groups].sort(([one], [other]) => Number(MEANT.has(one)) - Number(MEANT.has(other)));
  return (
    <ul class="source-state">
      <li class="state state-verified">{words.sources.read(coverage.scanned, coverage.found)}</li>
      {coverage.unread > 0 && <li>{words.turn.notRead(coverage.unread, coverage.documents)}</li>}
      {(scans > 0 || coverage.pictures > 0) && (
        <li class="needs-ocr">
          {scans > 0 && words.sources.scans(scans)} {coverage.pictures > 0 && words.sources.needsOcr(coverage.pictures)}{' '}
          <button type="button" class="link" onClick={() => go({ view: 'settings' })}>
            {words.sources.setUpOcr}
          </button>
        </li>
      )}
      {left.map(([reason, paths]) => (
        <li key={reason}>
          <details>
            <summary>{words.turn.skipped(paths.length, reason)}</summary>
            <ul>
              {paths.slice(0, MOST_NAMED).map((path) => (
                <li key={path} class="path">
                  {path}
                </li>
              ))}
              {paths.length > MOST_NAMED && <li>{words.turn.more(paths.length - MOST_NAMED)}</li>}
            </ul>
          </details>
        </li>
      ))}
    </ul>
  );
}
