import type { JSX } from 'preact';

import type { DryRunResult } from '../protocol';
import { words } from '../words';
import { Dialog } from './Dialog';

/** What a question would send, before it is asked. */
export function PreviewDialog({
  result,
  close,
}: {
  readonly result: DryRunResult;
  readonly close: () => void;
}): JSX.Element {
  return (
    <Dialog title={words.preview.title} close={close} class="wide">
      {result.endpoint === null || result.requests.length === 0 ? (
        <p>{words.preview.nothing}</p>
      ) : (
        <>
          <p>{words.preview.to(result.endpoint)}</p>
          {result.requests.map((request, at) => (
            <details key={`${request.stage} ${at}`} open={at === 0}>
              <summary>{words.preview.request(request.stage, request.tokens)}</summary>
              {request.messages.map(({ role, text }) => (
                // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard, too
                <pre key={role} class="message" tabIndex={0}>
                  {text}
                </pre>
              ))}
            </details>
          ))}
          <p>{words.preview.passages(result.sent.length)}</p>
          <ul class="sent-places">
            {result.sent.map(({ path, span }) => (
              <li key={`${path} ${span.join()}`}>
                <span class="path">{path}</span> {words.sent.span(span[0], span[1])}
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}
