import { isExtracted } from '../documents/kinds';
import { located } from '../documents/locator';
import { inertMarkdown, withoutLinks } from '../inert';
import type { RequirementResult, StopReason } from '../protocol/answer';
import type { LensEvent } from '../protocol/events';
import type { EventEvidence } from '../protocol/evidence';
import { oneLine } from './plain';

/** What became of a requirement so far; `searching` until the search says more. */
export type LiveStatus = 'searching' | RequirementResult['status'];

/** How a question ended. */
export type Ending =
  | { readonly kind: 'done'; readonly stopped: StopReason }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly message: string };

/** The sentences of the document, in the language of the editor. */
export interface LiveWords {
  readonly needs: string;
  readonly soFar: string;
  readonly evidence: string;
  readonly answer: string;
  /** The heading of an answer whose words are not checked yet. */
  readonly checking: string;
  readonly status: Readonly<Record<LiveStatus, string>>;
  readonly searching: string;
  readonly cancelled: string;
  readonly nothingYet: string;
  readonly done: string;
  failed(message: string): string;
  scanned(files: number, found: number): string;
  round(number: number): string;
  more(count: number): string;
}

/** A place in the document that leads to a passage. */
export interface LiveLink {
  readonly line: number;
  /** Characters from 0. */
  readonly from: number;
  readonly to: number;
  readonly evidence: EventEvidence;
}

/** The document as it stands. */
export interface LivePage {
  readonly text: string;
  readonly links: readonly LiveLink[];
}

/** Words first: symbols alone say nothing to a screen reader, colours nothing to many. */
const SYMBOLS: Readonly<Record<LiveStatus, string>> = { searching: '○', covered: '●', contested: '◐', missing: '✗' };
const MOST_PASSAGES = 40;
const MOST_REQUIREMENTS = 50;
const LONGEST_QUOTE = 280;
const LONGEST_ANSWER = 200_000;
const MARK = /(?<!\\)\[(\d+)\]/g;

/**
 * An answer while it comes: events go in, Markdown comes out. Text of notes and models is in it only as text that does
 * nothing, and the whole is bounded whatever arrives.
 */
export class LiveAnswer {
  readonly #requirements = new Map<string, { readonly text: string; status: LiveStatus }>();
  readonly #found = new Map<number, EventEvidence>();
  readonly #early = new Map<number, EventEvidence>();
  readonly #final = new Map<number, EventEvidence>();
  #answer = '';
  #checking = false;
  #scanned = '';
  #round = '';
  #ending: Ending | undefined;

  constructor(
    private readonly question: string,
    private readonly words: LiveWords,
  ) {}

  /** What the search is doing, in one line of plain text. */
  get now(): string {
    return [this.#scanned, this.#round].filter(Boolean).join(' · ');
  }

  /** Something happened on the way. */
  hear(event: LensEvent): void {
    switch (event.type) {
      case 'planned': // once more where the search begins anew
        this.#requirements.clear();
        for (const each of event.plan.requirements.slice(0, MOST_REQUIREMENTS)) {
          this.#requirements.set(each.id, { text: each.text, status: 'searching' });
        }
        break;
      case 'scanned':
        this.#scanned = this.words.scanned(event.files, event.found);
        break;
      case 'proposed':
        this.#round = this.words.round(event.round);
        break;
      case 'covered':
        for (const belief of event.beliefs) {
          this.#judge(belief.requirement, belief.covered ? 'covered' : 'searching');
        }
        break;
      case 'evidenceFound':
        this.#keep(event.evidence, event.final ? this.#final : event.early ? this.#early : this.#found);
        break;
      case 'answerDelta':
        this.#answer = `${event.restart ? '' : this.#answer}${event.text}`.slice(0, LONGEST_ANSWER);
        this.#checking = event.checking;
        break;
      case 'answered':
        this.#conclude(event.answer.requirements, event.answer.answer);
        break;
      case 'stopped':
        this.#ending = { kind: 'done', stopped: event.reason };
        break;
    }
  }

  /** Nothing more will come. What was found stays. */
  end(ending: Ending): void {
    this.#ending = ending;
    for (const each of this.#requirements.values()) {
      if (each.status === 'searching') {
        each.status = 'missing';
      }
    }
  }

  /** The document as it stands. */
  render(): LivePage {
    const page = new PageBuilder();
    page.add(`# ${inertMarkdown(this.question)}`, '', this.#state(), '');
    if (this.#requirements.size > 0) {
      page.add(`## ${this.words.needs}`, '');
      for (const { text, status } of this.#requirements.values()) {
        page.add(`- ${SYMBOLS[status]} ${this.words.status[status]}: ${inertMarkdown(text)}`);
      }
      page.add('');
    }
    if (this.#answer) {
      page.add(`## ${this.#checking ? this.words.checking : this.words.answer}`, '');
      page.prose(withoutLinks(this.#answer), this.#final);
      page.add('');
    }
    this.#passages(page);
    return page.built();
  }

  #judge(id: string, status: LiveStatus): void {
    const requirement = this.#requirements.get(id);
    if (requirement !== undefined) {
      requirement.status = status;
    }
  }

  #keep(evidence: EventEvidence, shelf: Map<number, EventEvidence>): void {
    shelf.set(evidence.n, evidence);
  }

  #conclude(requirements: readonly RequirementResult[], answer: string): void {
    this.#requirements.clear();
    for (const each of requirements.slice(0, MOST_REQUIREMENTS)) {
      this.#requirements.set(each.id, { text: each.text, status: each.status });
    }
    this.#answer = answer.slice(0, LONGEST_ANSWER);
    this.#checking = false;
  }

  #state(): string {
    const ending = this.#ending;
    switch (ending?.kind) {
      case 'failed':
        return `*${this.words.failed(inertMarkdown(ending.message))}*`;
      case 'cancelled':
        return `*${this.words.cancelled}*`;
      case 'done':
        return `*${[this.words.done, this.#scanned].filter(Boolean).join(' · ')}*`;
      default:
        return `*${[this.words.searching, this.now].filter(Boolean).join(' ')}*`;
    }
  }

  #passages(page: PageBuilder): void {
    const final = this.#final.size > 0;
    const shelf = final ? this.#final : this.#found.size > 0 ? this.#found : this.#early;
    if (shelf.size === 0 && this.#ending !== undefined) {
      return;
    }
    page.add(`## ${final ? this.words.evidence : this.words.soFar}`, '');
    const shown = [...shelf.values()].slice(0, MOST_PASSAGES);
    for (const evidence of shown) {
      page.passage(evidence);
    }
    if (shelf.size > shown.length) {
      page.add('', this.words.more(shelf.size - shown.length));
    }
    if (shelf.size === 0) {
      page.add(`*${this.words.nothingYet}*`);
    }
    page.add('');
  }
}

class PageBuilder {
  readonly #lines: string[] = [];
  readonly #links: LiveLink[] = [];

  add(...lines: string[]): void {
    this.#lines.push(...lines);
  }

  /** Written Markdown whose `[n]` lead to the passages that it cites. */
  prose(markdown: string, cited: ReadonlyMap<number, EventEvidence>): void {
    for (const line of markdown.trimEnd().split('\n')) {
      for (const mark of line.matchAll(MARK)) {
        const evidence = cited.get(Number(mark[1]));
        if (evidence !== undefined) {
          this.#link(mark.index, mark.index + mark[0].length, evidence);
        }
      }
      this.add(line);
    }
  }

  passage(evidence: EventEvidence): void {
    const number = `${evidence.n}. `;
    const { path, start, locator } = evidence;
    const place = inertMarkdown(isExtracted(path) ? located(path, locator) : `${path}:${start.line}`);
    this.#link(number.length, number.length + place.length, evidence);
    this.add(`${number}${place} — “${inertMarkdown(oneLine(evidence.quote, LONGEST_QUOTE))}”`);
  }

  built(): LivePage {
    return { text: `${this.#lines.join('\n').trimEnd()}\n`, links: this.#links };
  }

  #link(from: number, to: number, evidence: EventEvidence): void {
    this.#links.push({ line: this.#lines.length, from, to, evidence });
  }
}
