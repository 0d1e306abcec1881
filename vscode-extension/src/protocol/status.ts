/** How the server is: `lens/status`. */
import type { Mode } from './asking';

/** Of `lens/status`. */
export interface StatusParams {
  /** Say who would judge, too: that reads settings and, for the editor's model, asks us. */
  readonly judge?: boolean;
}

/** Who would judge the next question. */
export interface Judge {
  readonly mode: Mode;
  /** `https://host[:port]` or `editor:<id>`; null: offline. */
  readonly endpoint: string | null;
  readonly model: string | null;
  readonly consent: 'local' | 'given' | 'missing' | null;
  /** Why a configured model cannot be used. */
  readonly problem: string | null;
}

/** The result of `lens/status`. `lens_lsp.schema.protocol_params.Status`. */
export interface StatusResult {
  readonly version: string;
  readonly positionEncoding: string;
  readonly folders: readonly string[];
  readonly documents: number;
  readonly unsynced: readonly string[];
  readonly tasks: number;
  readonly asks: {
    readonly running: number;
    readonly waiting: number;
    readonly mostRunning: number;
    readonly mostWaiting: number;
  };
  readonly switchedOff: readonly string[];
  readonly watching: string;
  /** Only where it was asked for. */
  readonly judge: Judge | null;
}
