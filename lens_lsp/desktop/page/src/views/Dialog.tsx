/** A dialog of the browser's own: focus stays in it, Esc closes it, and focus goes back where it was. */
import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

import { words } from '../words';
import { Icon } from './icons';

interface Props {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
  readonly class?: string;
}

export function Dialog({ title, close, children, class: kind = '' }: Props): JSX.Element {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  // Not after the next picture: what is typed at once after Esc belongs where the focus was.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      shown?.close();
      if (before instanceof HTMLElement && before.isConnected) {
        before.focus();
      }
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog ${kind}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="quiet" aria-label={words.close} title={words.close} onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** What the button says that does it. */
  readonly label: string;
  readonly act: () => void;
  /** Nothing goes by it. */
  readonly harmless?: boolean;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** Asks before something is done, above all what does not come back. */
export function ConfirmDialog({ title, label, act, harmless = false, close, children }: ConfirmProps): JSX.Element {
  return (
    <Dialog title={title} close={close}>
      {children}
      <div class="actions">
        <button type="button" class={harmless ? 'primary' : 'danger'} onClick={act}>
          {label}
        </button>
        <button type="button" class="quiet" onClick={close}>
          {words.cancel}
        </button>
      </div>
    </Dialog>
  );
}
