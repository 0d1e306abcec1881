/** What earlier questions left: `lens/clusters`, `lens/threads`, `lens/answer`, `lens/forget`, `lens/wrong`, and an answer put into a note. */
import type { AnswerResult, RequirementResult } from './answer';
import type { Mode } from './asking';
import type { CitationState } from './checking';
import type { WirePosition } from './places';

/** Of `lens/clusters`: all of them, or those with these ids. */
export interface ClustersParams {
  readonly ids?: readonly string[];
  /** Look the citations up again. */
  readonly fresh?: boolean;
  /** They are for a model. */
  readonly forModel?: boolean;
}

/** What earlier questions left. `lens_lsp.schema.memory_shapes.cluster_json`; times are ISO 8601 in UTC. */
export interface Cluster {
  /** The real path of the workspace folder. */
  readonly workspace: string;
  readonly id: string;
  readonly title: string;
  readonly archived: boolean;
  readonly confidence: number | null;
  readonly hits: number;
  readonly created: string;
  readonly used: string;
  readonly questions: readonly {
    readonly question: string;
    readonly asked: string;
    readonly mode: Mode;
    readonly oracle: string | null;
    readonly status: AnswerResult['status'];
    readonly answer: string;
    readonly shortAnswer: string | null;
    /** Ids by requirement; none where nothing was proven. */
    readonly facts: readonly (string | null)[];
    readonly evidence: readonly string[];
    readonly answerUri: string | null;
  }[];
  readonly facts: readonly {
    readonly id: string;
    readonly text: string;
    readonly status: RequirementResult['status'];
    readonly value: string | null;
    readonly confidence: number | null;
    readonly evidence: readonly string[];
    readonly proven: string;
    readonly retired: boolean;
  }[];
  readonly citations: readonly {
    readonly id: string;
    readonly uri: string;
    readonly root: string;
    readonly path: string;
    readonly sha256: string;
    readonly span: readonly [number, number];
    readonly quote: string;
    readonly heading: readonly string[];
    readonly locator: Readonly<Record<string, unknown>> | null;
  }[];
  readonly links: readonly { readonly cluster: string; readonly weight: number }[];
  /** How many of the citations that facts rest on are in which state; only where it was asked for. */
  readonly freshness: Readonly<Record<CitationState, number>> | null;
}

/** The result of `lens/clusters`, schema `lens.clusters/1`. */
export interface ClustersResult {
  readonly schema: string;
  readonly clusters: readonly Cluster[];
}

/** A conversation. */
export interface Thread {
  /** The real path of the workspace folder. */
  readonly workspace: string;
  readonly name: string;
  /** When it was asked last. */
  readonly asked: string;
  /** Oldest first. */
  readonly questions: readonly {
    /** As the user typed it; `question` is what was understood. */
    readonly typed: string;
    readonly question: string;
    readonly asked: string;
    readonly cluster: string | null;
    readonly answerUri: string | null;
  }[];
}

/** The result of `lens/threads`, schema `lens.threads/1`; the one asked last first. */
export interface ThreadsResult {
  readonly schema: string;
  readonly threads: readonly Thread[];
}

/** Of `lens/answer`: the URI of its file, the id of a cluster, or a question; the last answer if left out. */
export interface AnswerParams {
  readonly answer?: string;
  readonly forModel?: boolean;
}

/** A citation of an answer. `altered`: what its footnote says otherwise. */
export interface AnswerCitation {
  readonly label: string;
  readonly altered: string;
  readonly uri: string;
  readonly quote: string;
  readonly sha256: string | null;
  readonly span: readonly [number, number] | null;
  readonly lines: readonly [number, number] | null;
  readonly reader: string | null;
  readonly beside: {
    readonly before: string | null;
    readonly after: string | null;
    readonly count: number | null;
  } | null;
}

/** The result of `lens/answer`, schema `lens.kept/1`: an answer as its file says it. */
export interface KeptAnswer {
  readonly schema: string;
  readonly uri: string;
  readonly text: string;
  readonly citations: readonly AnswerCitation[];
}

/** Of `lens/forget`: whole ids, names of threads, or all. */
export interface ForgetParams {
  readonly ids?: readonly string[];
  readonly threads?: readonly string[];
  readonly all?: boolean;
}

/** The result of `lens/forget`, schema `lens.forgotten/1`. */
export interface ForgetResult {
  readonly schema: string;
  readonly clusters: readonly string[];
  readonly files: readonly string[];
}

/** Of `lens/wrong`: whole ids of clusters whose answers are wrong. */
export interface WrongParams {
  readonly ids: readonly string[];
}

/** An answer that was called wrong: a check from now on. */
export interface WrongAnswer {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
  readonly shortAnswer: string | null;
  readonly oracle: string;
  readonly called: string;
}

/** The result of `lens/wrong`, schema `lens.wrong/1`. */
export interface WrongResult {
  readonly schema: string;
  readonly checks: readonly WrongAnswer[];
}

/** Of the command `lens.server.insertAnswer`. */
export interface InsertAnswerParams {
  readonly uri: string;
  readonly position: WirePosition;
  /** The URI of its file, the id of a cluster, or a question. */
  readonly answer: string;
}

/** The result of `lens.server.insertAnswer`. */
export interface InsertAnswerResult {
  readonly inserted: boolean;
}
