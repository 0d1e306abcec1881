import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';

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
  const picture = useSignal('');
  const failed = useSignal(false);
  useEffect(() => {
    let shown = true;
    failed.value = false;
    pagePicture(uri, page, quote).then(
      (blob) => {
        if (shown) {
          picture.value = URL.createObjectURL(blob);
        }
      },
      () => {
        failed.value = shown;
      },
    );
    return () => {
      shown = false;
      URL.revokeObjectURL(picture.value);
      picture.value = '';
    };
  }, [uri, page, quote]);
  if (failed.value) {
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
      src={picture.value || undefined}
      alt={words.source.picture(page, splitPath(path)[1])}
      onError={() => {
        failed.value = picture.value !== '';
      }}
    />
  );
}
