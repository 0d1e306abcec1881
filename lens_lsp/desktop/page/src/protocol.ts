/** What the wire carries between this page and the program: the language server's own types, and those of our HTTP. */
import type { RecheckResult } from '../../../../vscode-extension/src/protocol/checking';

export type {
  AnswerResult,
  DryRunResult,
  EventAnswer,
  FindResult,
  RequirementResult,
  StopReason,
} from '../../../../vscode-extension/src/protocol/answer';
export type { AskParams, Mode, Scope } from '../../../../vscode-extension/src/protocol/asking';
export type { CitationState, RecheckResult } from '../../../../vscode-extension/src/protocol/checking';
export type { TextResult } from '../../../../vscode-extension/src/protocol/documents';
export type { LensEvent } from '../../../../vscode-extension/src/protocol/events';
export type {
  ContextPart,
  Coverage,
  EventEvidence,
  Evidence,
} from '../../../../vscode-extension/src/protocol/evidence';
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
export type {
  AnswerCommand,
  AskBody,
  AskMessage,
  Folder,
  Happening,
  OpenBody,
  Opened,
  PathChoice,
  Prompt,
  RecentFolder,
  RunningAsk,
  ServerState,
  Standing,
  ViewCommand,
} from '../../../../vscode-extension/src/views/messages';

/** A citation after a look at its source. */
export type CheckedCitation = RecheckResult['citations'][number];
