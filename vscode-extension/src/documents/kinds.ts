/**
 * Documents that are no text: what is read of them is a text that the server takes out of them, and every line, column
 * and offset that it gives counts in that text.
 */

/** How their names end. A test compares them with `lens_lsp/documents/kinds.py`; notebooks are the server's, too. */
const EXTRACTED =
  /\.(pdf|docx|docm|dotx|pptx|pptm|xlsx|xlsm|xlsb|xls|ods|odt|ott|odp|epub|rtf|eml|msg|mbox|ipynb|png|jpg|jpeg|jpe|tif|tiff|bmp|webp)$/i;

/** Whether the text of a file is taken out of it. */
export function isExtracted(path: string): boolean {
  return EXTRACTED.test(path);
}

/** Whether a file is a PDF, which we show as its pages. */
export function isPdf(path: string): boolean {
  return /\.pdf$/i.test(path);
}
