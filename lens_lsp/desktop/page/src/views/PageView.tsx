import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';

import { pagePicture } from '../api';
import type { Stretch } from '../text/offsets';
import { splitPath } from '../text/places';
import { words } from '../words';
import { LinesView } from './LinesView';

interface Props {
  readonly uri: string;
  readonly path: string;
  readonly page: number;
  readonly quote: string;
  readonly text: string;
  readonly at: Stretch | undefined;
}

/** A page of a PDF as the program draws it, the passage marked; its text where there is no picture. */
export function PageView({ uri, path, page, quote, text, at }: Props): JSX.Element {
  const failed = useSignal('');
  const address = pagePicture(uri, page, quote);
  if (failed.value === address) {
    return (
      <>
        <p class="hint">{words.source.noPicture}</p>
        <LinesView text={text} at={at} />
      </>
    );
  }
  return (
    <img
      class="page"
      src={address}
      alt={words.source.picture(page, splitPath(path)[1])}
      onError={() => {
        failed.value = address;
      }}
    />
  );
}
