/** What the wire carries between this page and the program: the language server's own types, and those of our HTTP. */
import type { AnswerResult, DryRunResult } from '../../../../vscode-extension/src/protocol/answer';
import type { AskParams } from '../../../../vscode-extension/src/protocol/asking';
import type { RecheckResult } from '../../../../vscode-extension/src/protocol/checking';
import type { LensEvent } from '../../../../vscode-extension/src/protocol/events';

export type {
  AnswerResult,
  DryRunResult,
  EventAnswer,
  RequirementResult,
  StopReason,
} from '../../../../vscode-extension/src/protocol/answer';
export type { AskParams, Mode, Scope } from '../../../../vscode-extension/src/protocol/asking';
export type { CitationState, RecheckResult } from '../../../../vscode-extension/src/protocol/checking';
export type { TextResult } from '../../../../vscode-extension/src/protocol/documents';
export type { LensEvent } from '../../../../vscode-extension/src/protocol/events';
export type { ContextPart, EventEvidence, Evidence } from '../../../../vscode-extension/src/protocol/evidence';
export type {
  Cluster,
  ClustersResult,
  KeptAnswer,
  Thread,
  ThreadsResult,
  WrongResult,
} from '../../../../vscode-extension/src/protocol/kept';
export type { Ledger, LedgerResult, SentPlace } from '../../../../vscode-extension/src/protocol/ledger';
export type { StatusResult } from '../../../../vscode-extension/src/protocol/status';

/** A citation after a look at its source. */
export type CheckedCitation = RecheckResult['citations'][number];

/** The body of a question: `tab` is the browser's tab that asks. */
export interface AskBody extends AskParams {
  readonly tab: string;
}

/** A prompt of the program before text leaves the machine. */
export interface ConsentPrompt {
  readonly id: string;
  readonly message: string;
  readonly actions: readonly string[];
}

/** One message of the stream of a question. */
export type AskMessage =
  | { readonly type: 'event'; readonly event: LensEvent }
  | { readonly type: 'progress'; readonly message: string | null; readonly percentage: number | null }
  | ({ readonly type: 'consent' } & ConsentPrompt)
  | { readonly type: 'consent-over'; readonly id: string }
  | { readonly type: 'result'; readonly result: AnswerResult | DryRunResult }
  | { readonly type: 'error'; readonly code: number; readonly name: string | null; readonly message: string };

/** A question that runs, or ended a while ago. */
export interface RunningAsk {
  readonly id: string;
  readonly tab: string | null;
  readonly question: string;
  readonly thread: string | null;
  readonly asked: string;
  /** Whether some page listens to it. */
  readonly heard: boolean;
  /** Null while it runs. */
  readonly ending: 'answered' | 'stopped' | 'failed' | null;
  readonly inThread: boolean;
  readonly answerUri: string | null;
}

/** What concerns the whole page. */
export type Happening =
  | { readonly type: 'drift'; readonly uri: string }
  | { readonly type: 'server'; readonly state: 'running' | 'gone' }
  | { readonly type: 'notice'; readonly message: string }
  | { readonly type: 'answered'; readonly answerUri: string | null };

/** A folder that is searched. */
export interface Folder {
  readonly uri: string;
  readonly name: string;
}
