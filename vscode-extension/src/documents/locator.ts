/** Where a passage stands in a document, as a person says it. */

/** What the server tells of a place in an extracted document: `{page: 12}`, `{sheet: "Costs", cell: "B7"}`. */
export type Locator = Readonly<Record<string, unknown>>;

/** In percent: below that a page that was recognised has words that nobody wrote. */
const SURE_ENOUGH = 90;

/** The page of a locator, from 1; undefined where it has none. */
export function pageOf(locator: Locator | null | undefined): number | undefined {
  const page = locator?.page;
  return typeof page === 'number' && Number.isInteger(page) && page > 0 ? page : undefined;
}

/**
 * `report.pdf p. 12`, `budget.xlsx Sheet1!B7`, `deck.pptx slide 4`, `mail.eml 2024-03-01`; the path alone without one.
 * What a program recognised on a picture says so, and how sure it is where that is little: `scan.pdf p. 3 (OCR)`,
 * `scan.pdf p. 3 (OCR, 71 % sure)`; so does what is attached: `mail.eml 2024-03-01, report.pdf p. 2`.
 */
export function located(path: string, locator: Locator | null | undefined): string {
  const { page, slide, sheet, cell, chapter, message, date, by, confidence, attachment } = locator ?? {};
  const unsure = typeof confidence === 'number' && confidence < SURE_ENOUGH;
  const places = [
    page !== undefined && `p. ${page}`,
    slide !== undefined && `slide ${slide}`,
    sheet !== undefined && (cell === undefined ? String(sheet) : `${sheet}!${cell}`),
    sheet === undefined && cell !== undefined && `cell ${cell}`,
    chapter !== undefined && `ch. ${chapter}`,
    date !== undefined ? String(date) : message !== undefined && `message ${message}`,
    by === 'ocr' && (unsure ? `(OCR, ${confidence} % sure)` : '(OCR)'),
  ];
  const place = places.filter((each) => each !== false).join(' ');
  const inside = [place, ...(attachment === undefined ? [] : [String(attachment)])].filter((each) => each !== '');
  return [path, inside.join(', ')].filter((each) => each !== '').join(' ');
}
