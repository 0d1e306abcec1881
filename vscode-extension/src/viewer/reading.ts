import * as pdfjs from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { ViewerPlaces } from '../pdf/messages';

/** A document whose pages can be shown, and the worker that reads it. */
export interface Reading {
  readonly document: pdfjs.PDFDocumentProxy;
  /** Of its first page, in points of 1/72 inch. */
  readonly size: { readonly width: number; readonly height: number };
  close(): void;
}

/**
 * Reads a document. What it brings does nothing: pdf.js evaluates no text, forms and links are not made, and scripts in it
 * are never run, for the part of pdf.js that would is not here. Rejects as `getDocument`.
 */
export async function read(bytes: Uint8Array, places: ViewerPlaces): Promise<Reading> {
  const thread = await startWorker(places.worker);
  const worker = pdfjs.PDFWorker.create({ port: thread });
  const loading = pdfjs.getDocument({
    data: bytes,
    worker,
    cMapUrl: places.characterMaps,
    standardFontDataUrl: places.fonts,
    wasmUrl: places.decoders,
    useWorkerFetch: false,
    enableXfa: false,
    verbosity: pdfjs.VerbosityLevel.ERRORS,
  });
  const close = (): void => {
    void loading.destroy().finally(() => {
      worker.destroy();
      thread.terminate();
    });
  };
  try {
    const document = await loading.promise;
    return { document, size: (await document.getPage(1)).getViewport({ scale: 1 }), close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Whether a document could not be read because it opens with a password. */
export function isLocked(error: unknown): boolean {
  return error instanceof pdfjs.PasswordException;
}

/** Our own file as a blob: from where our files come, the editor's webviews start no worker. */
async function startWorker(address: string): Promise<Worker> {
  const source = await (await fetch(address)).blob();
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  try {
    return new Worker(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}
