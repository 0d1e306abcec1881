import * as vscode from 'vscode';
import type { LensClient } from '../client';
import { Failure } from '../failures';
import { inertMarkdown, withoutLinks } from '../inert';
import type { AnswerResult, FindResult } from '../protocol/answer';
import type { AskParams } from '../protocol/asking';
import type { LensEvent } from '../protocol/events';
import type { Evidence } from '../protocol/evidence';
import { readable } from '../reading/answerDocument';
import { cutShort } from '../reading/ending';
import { locationOf, placeOf } from '../reading/locations';
import { oneLine } from '../reading/plain';
import { counted } from '../reading/words';
import { NO_PYTHON } from '../standing/standing';
import { scopeOf } from './attached';
import { piecesOf } from './passages';

/** Characters of a passage in the list below an answer. */
const LONGEST_QUOTE = 160;

/** What a turn leaves for the next one of the same conversation. */
interface TurnMetadata {
  readonly thread: string;
  readonly question: string;
  /** Facts that were not found, in words. */
  readonly missing: readonly string[];
}

/**
 * `@lens` in the Chat view: an answer with its proof. Registers nothing where the editor has no chat.
 *
 * The engine answers, not the model that the view has chosen: what is sent where is a matter of the settings alone.
 */
export function registerParticipant(context: vscode.ExtensionContext, lens: LensClient): vscode.Disposable {
  // Editors built on older or trimmed sources lack it, whatever the types say.
  const chat = vscode.chat as Partial<typeof vscode.chat> | undefined;
  if (chat?.createChatParticipant === undefined) {
    return new vscode.Disposable(() => {});
  }
  const participant = chat.createChatParticipant('lens.chat', (request, history, stream, token) =>
    answer(lens, request, history, stream, token),
  );
  participant.iconPath = vscode.Uri.joinPath(context.extensionUri, 'icon.png');
  participant.followupProvider = {
    provideFollowups: (result) => followUps(result.metadata as TurnMetadata | undefined),
  };
  return participant;
}

async function answer(
  lens: LensClient,
  request: vscode.ChatRequest,
  history: vscode.ChatContext,
  stream: vscode.ChatResponseStream,
  token: vscode.CancellationToken,
): Promise<vscode.ChatResult> {
  const question = request.prompt.trim();
  if (question === '') {
    stream.markdown(vscode.l10n.t('Ask a question about the files of the open folders.'));
    return {};
  }
  const scope = scopeOf(request.references);
  try {
    if (request.command === 'find') {
      stream.progress(vscode.l10n.t('Looking for passages'));
      showFound(stream, await lens.find({ query: question, ...scope }, token));
      return {};
    }
    const thread = threadOf(history);
    const params: AskParams = {
      question,
      thread,
      ...scope,
      ...(request.command === 'offline' && { mode: 'evidence' }),
    };
    const result = await lens.ask(params, stepsOf(stream), token);
    showAnswer(stream, result);
    return { metadata: metadataOf(thread, result) };
  } catch (error) {
    if (token.isCancellationRequested) {
      return {};
    }
    if (error instanceof vscode.CancellationError || (error instanceof Failure && error.code === NO_PYTHON)) {
      stream.button({ command: 'lens.setUp', title: vscode.l10n.t('Set up') });
    }
    return { errorDetails: { message: messageOf(error) } };
  }
}

function messageOf(error: unknown): string {
  if (error instanceof vscode.CancellationError) {
    return vscode.l10n.t('The Lens server was not started.');
  }
  return error instanceof Error ? error.message : String(error);
}

function metadataOf(thread: string, result: AnswerResult): TurnMetadata {
  const missing = result.requirements.filter((one) => one.status === 'missing').map((one) => one.text);
  return { thread, question: result.question, missing };
}

/** The thread that this conversation's last answer belongs to, or a new one. */
function threadOf(history: vscode.ChatContext): string {
  const earlier = history.history
    .filter((turn) => turn instanceof vscode.ChatResponseTurn)
    .map((turn) => (turn.result.metadata as Partial<TurnMetadata> | undefined)?.thread);
  return earlier.findLast((thread) => thread !== undefined) ?? `chat ${crypto.randomUUID()}`;
}

function followUps(turn: TurnMetadata | undefined): vscode.ChatFollowup[] {
  if (turn === undefined) {
    return [];
  }
  const missing = turn.missing.filter((text) => text !== turn.question).slice(0, 3);
  return [
    ...missing.map((prompt) => ({ prompt })),
    { prompt: turn.question, command: 'find', label: vscode.l10n.t('Show the passages that come nearest') },
  ];
}

/** Tells each step of the search in a line that the next one replaces. */
function stepsOf(stream: vscode.ChatResponseStream): (event: LensEvent) => void {
  return (event) => {
    if (event.type === 'scanned') {
      const [files, found] = [counted(event.files), counted(event.found)];
      stream.progress(vscode.l10n.t('Searching: {0} of {1} files', files, found));
    } else if (event.type === 'proposed') {
      stream.progress(vscode.l10n.t('Reading, round {0}', event.round));
    }
  };
}

function showAnswer(stream: vscode.ChatResponseStream, result: AnswerResult): void {
  const byNumber = new Map(result.evidence.map((one) => [one.n, one]));
  for (const piece of piecesOf(withoutLinks(result.answer), new Set(byNumber.keys()))) {
    const cited = 'cites' in piece ? byNumber.get(piece.cites) : undefined;
    if (cited !== undefined) {
      showPlace(stream, cited);
    } else if ('markdown' in piece) {
      stream.markdown(piece.markdown);
    }
  }
  showOpenFacts(stream, result);
  showEvidence(stream, result.evidence);
  showCost(stream, result);
  if (result.answerUri !== null) {
    stream.button({
      command: 'vscode.open',
      title: vscode.l10n.t('Open Answer'),
      arguments: [readable(vscode.Uri.parse(result.answerUri, true))],
    });
  }
}

function showOpenFacts(stream: vscode.ChatResponseStream, result: AnswerResult): void {
  const lines: string[] = [];
  for (const { status, text } of result.requirements) {
    if (status === 'missing') {
      lines.push(`* ${vscode.l10n.t('Not found: {0}', inertMarkdown(text))}`);
    } else if (status === 'contested') {
      lines.push(`* ${vscode.l10n.t('The sources disagree: {0}', inertMarkdown(text))}`);
    }
  }
  const ending = cutShort(result);
  if (ending !== undefined) {
    lines.push(`* ${ending}`);
  }
  lines.push(...result.warnings.map((warning) => `* ${inertMarkdown(warning)}`));
  if (lines.length > 0) {
    stream.markdown(`\n\n${lines.join('\n')}`);
  }
}

function showFound(stream: vscode.ChatResponseStream, result: FindResult): void {
  if (result.evidence.length === 0) {
    stream.markdown(vscode.l10n.t('Nothing was found. Try other or fewer words.'));
  }
  showEvidence(stream, result.evidence);
}

/** The passages as a list, and as the references of the answer. */
function showEvidence(stream: vscode.ChatResponseStream, evidence: readonly Evidence[]): void {
  for (const one of evidence) {
    stream.markdown(`\n\n${one.n}\\. `);
    showPlace(stream, one);
    stream.markdown(` “${inertMarkdown(oneLine(one.quote, LONGEST_QUOTE))}”`);
    const location = locationOf(one);
    if (location !== undefined) {
      stream.reference(location);
    }
  }
}

function showPlace(stream: vscode.ChatResponseStream, evidence: Evidence): void {
  const location = locationOf(evidence);
  if (location === undefined) {
    stream.markdown(`\\[${inertMarkdown(placeOf(evidence))}\\]`);
  } else {
    // The title becomes the text of a Markdown link as it is.
    stream.anchor(
      location,
      placeOf(evidence)
        .replace(/\s/g, ' ')
        .replace(/[\\[\]<>`]/g, '\\$&'),
    );
  }
}

function showCost(stream: vscode.ChatResponseStream, result: AnswerResult): void {
  const { endpoint, calls, tokens } = result.ledger;
  if (endpoint !== null && (calls.total ?? 0) > 0) {
    const told = vscode.l10n.t('{0} tokens with {1}', counted(tokens.in + tokens.out), inertMarkdown(endpoint));
    stream.markdown(`\n\n*${told}*`);
  }
}
