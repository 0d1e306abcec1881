import * as vscode from 'vscode';
import type { LensClient } from '../client';
import { isExtracted } from '../documents/kinds';
import { located, pageOf } from '../documents/locator';
import type { Cluster, ClustersParams, ClustersResult } from '../protocol/kept';
import { openingPlace } from '../reading/locations';
import { documentOf } from '../reading/subject';
import { statusWords } from '../reading/words';
import { isFresh, notVerified } from './freshness';
import { note, openingAnswer, type Row, row } from './row';
import { when } from './threads';

const MOST = 500;

/**
 * What earlier questions left, with whether its sources still say so. That takes a look at each of them: it is done when
 * the rows are shown first, and again only when something may have changed.
 */
export class KnownClusters {
  #rows: Promise<readonly Row[]> | undefined;

  rows(lens: LensClient): Promise<readonly Row[]> {
    this.#rows ??= clusterRows(lens).catch((error: unknown) => {
      this.outdate();
      throw error;
    });
    return this.#rows;
  }

  /** They are looked up again when they are shown next. */
  outdate(): void {
    this.#rows = undefined;
  }
}

async function clusterRows(lens: LensClient): Promise<readonly Row[]> {
  const { clusters } = await lens.request<ClustersResult>('lens/clusters', { fresh: true } satisfies ClustersParams);
  const rows = clusters
    .filter(({ archived }) => !archived)
    .slice(0, MOST)
    .map(clusterRow);
  return rows.length > 0 ? rows : [note(vscode.l10n.t('Nothing is known yet'))];
}

function clusterRow(cluster: Cluster): Row {
  const answer = cluster.questions.find(({ answerUri }) => answerUri !== null)?.answerUri;
  const question = cluster.questions.at(-1)?.question;
  return row({
    label: cluster.title,
    description: freshnessInWords(cluster),
    tooltip: vscode.l10n.t('{0}; times used: {1}, last {2}', cluster.title, cluster.hits, when(cluster.used)),
    icon: cluster.freshness === null ? 'circle-outline' : isFresh(cluster.freshness) ? 'verified' : 'warning',
    kind: 'cluster',
    id: `cluster ${cluster.workspace} ${cluster.id}`,
    cluster: cluster.id,
    subject: {
      ...(question !== undefined && { question }),
      ...(answer != null && { document: documentOf(answer) }),
    },
    children: () => [...questionRows(cluster), ...factRows(cluster), ...citationRows(cluster)],
  });
}

/** Whether what a cluster rests on still stands, in words. */
function freshnessInWords({ freshness }: Pick<Cluster, 'freshness'>): string {
  if (freshness === null) {
    return vscode.l10n.t('not checked');
  }
  const words = {
    moved: (count: number) => vscode.l10n.t('{0} moved', count),
    withdrawn: (count: number) => vscode.l10n.t('{0} withdrawn', count),
    unverifiable: (count: number) => vscode.l10n.t('{0} cannot be checked', count),
  };
  const told = notVerified(freshness).map(([state, count]) => words[state](count));
  return told.length > 0 ? told.join(', ') : vscode.l10n.t('fresh');
}

function questionRows(cluster: Cluster): readonly Row[] {
  return cluster.questions.map((asked) => {
    const document = asked.answerUri === null ? undefined : documentOf(asked.answerUri);
    return row({
      label: asked.question,
      description: when(asked.asked),
      tooltip: asked.shortAnswer ?? asked.answer,
      icon: 'comment',
      kind: document === undefined ? 'question' : 'answer',
      subject: { question: asked.question, ...(document !== undefined && { document }) },
      ...(document !== undefined && { open: openingAnswer(document) }),
    });
  });
}

function factRows(cluster: Cluster): readonly Row[] {
  return cluster.facts.map((fact) => {
    const status = fact.retired ? vscode.l10n.t('no longer proven') : statusWords()[fact.status];
    return row({
      label: fact.text,
      description: fact.value === null ? status : `${status}: ${fact.value}`,
      icon: fact.retired ? 'circle-slash' : 'lightbulb',
    });
  });
}

function citationRows(cluster: Cluster): readonly Row[] {
  return cluster.citations.map(({ uri, path, span, quote, locator }) => {
    const page = pageOf(locator);
    return row({
      label: quote,
      description: isExtracted(path) ? located(path, locator) : path,
      icon: 'quote',
      kind: 'evidence',
      open: openingPlace({ uri, span, quote, ...(page !== undefined && { page }) }),
    });
  });
}
