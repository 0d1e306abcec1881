import type { CitationState } from '../protocol/checking';

/** How many citations are in which state. */
export type Freshness = Readonly<Record<CitationState, number>>;

const DOUBTFUL = ['moved', 'withdrawn', 'unverifiable'] as const;

/** The states that say something changed, with how many citations are in them; none where all stand. */
export function notVerified(freshness: Freshness): readonly (readonly [(typeof DOUBTFUL)[number], number])[] {
  return DOUBTFUL.filter((state) => freshness[state] > 0).map((state) => [state, freshness[state]] as const);
}

/** Whether all citations stand where they stood. */
export function isFresh(freshness: Freshness): boolean {
  return notVerified(freshness).length === 0;
}

/** What was left out, by reason, the most frequent first. */
export function byReason(
  skipped: readonly { readonly path: string; readonly reason: string }[],
): readonly (readonly [reason: string, paths: readonly string[]])[] {
  const reasons = new Map<string, string[]>();
  for (const { path, reason } of skipped) {
    const paths = reasons.get(reason);
    if (paths === undefined) {
      reasons.set(reason, [path]);
    } else {
      paths.push(path);
    }
  }
  return [...reasons].sort(([a, first], [b, second]) => second.length - first.length || a.localeCompare(b));
}
