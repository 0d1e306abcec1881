import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { watchFile } from '../documents/watching';
import { Debounce } from '../reading/debounce';
import type { PlaceParams } from '../reading/locations';
import type { FromViewer, Place, Shown, Target, ToViewer } from './messages';
import { viewerPage } from './page';
import { viewerWords } from './words';

export const PDF_EDITOR = 'lens.pdf';

/** More than this goes to no viewer: it would be held three times. */
const MOST_BYTES = 64 * 1024 * 1024;
/** A document that is being written changes several times. */
const SETTLED_MILLISECONDS = 250;

/** How a page is shown. */
export interface ShowingPage {
  readonly preview: boolean;
  readonly viewColumn?: vscode.ViewColumn | undefined;
  /** Asked where the page says the words more than once. */
  readonly exactly: (() => Promise<Place>) | undefined;
}

/** A page as it was shown. */
export interface ShownPage extends Shown {
  readonly file: vscode.Uri;
}

interface Wish {
  target: Target;
  exactly: (() => Promise<Place>) | undefined;
}

/** The viewers of PDFs: read-only editors of ours, which show a page with a quote highlighted. */
export class PdfViewers implements vscode.CustomReadonlyEditorProvider, vscode.Disposable {
  readonly #shown = new vscode.EventEmitter<ShownPage>();
  /** Every page that was shown because somebody wanted it. */
  readonly onDidShow = this.#shown.event;
  readonly #wishes = new Map<string, Wish>();
  readonly #open = new Map<string, Viewer>();
  readonly #registration: vscode.Disposable;
  #count = 0;

  constructor(private readonly extension: vscode.Uri) {
    this.#registration = vscode.window.registerCustomEditorProvider(PDF_EDITOR, this);
  }

  /** Show a place of a document, in the viewer that shows it already if one does. */
  async show(file: vscode.Uri, place: Place, { preview, exactly, viewColumn }: ShowingPage): Promise<void> {
    this.#wish(file, place, exactly);
    const options: vscode.TextDocumentShowOptions = {
      preview,
      preserveFocus: preview,
      ...(viewColumn !== undefined && { viewColumn }),
    };
    await vscode.commands.executeCommand('vscode.openWith', file, PDF_EDITOR, options);
  }

  /** What is shown of a document, as a place of its text. */
  placeIn(file: vscode.Uri): PlaceParams {
    const { quote, page } = this.#wishes.get(file.toString())?.target ?? {};
    return { uri: file.toString(), ...(quote !== undefined && { quote }), ...(page !== undefined && { page }) };
  }

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => this.#wishes.delete(uri.toString()) };
  }

  resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): void {
    const key = uri.toString();
    const viewer = new Viewer(uri, panel, vscode.Uri.joinPath(this.extension, 'dist', 'pdf'), {
      target: () => this.#wishes.get(key)?.target,
      shown: (shown) => void this.#heard(uri, shown),
    });
    this.#open.set(key, viewer);
    panel.onDidDispose(() => {
      if (this.#open.get(key) === viewer) {
        this.#open.delete(key);
      }
      viewer.dispose();
    });
  }

  dispose(): void {
    vscode.Disposable.from(this.#shown, this.#registration, ...this.#open.values()).dispose();
  }

  #wish(file: vscode.Uri, place: Place, exactly: Wish['exactly']): void {
    this.#count += 1;
    const target: Target = { wish: this.#count, ...place };
    this.#wishes.set(file.toString(), { target, exactly });
    this.#open.get(file.toString())?.show(target);
  }

  async #heard(file: vscode.Uri, shown: Shown): Promise<void> {
    const wish = this.#wishes.get(file.toString());
    if (shown.wish !== wish?.target.wish) {
      return;
    }
    const { exactly } = wish;
    wish.exactly = undefined;
    if (shown.repeated && exactly !== undefined) {
      const place = await exactly();
      if (place.near !== undefined && this.#wishes.get(file.toString()) === wish) {
        this.#wish(file, place, undefined);
        return;
      }
    }
    this.#shown.fire({ file, ...shown });
  }
}

interface ViewerHost {
  /** What is to be shown of the document. */
  target(): Target | undefined;
  shown(shown: Shown): void;
}

/** One viewer: the page of it, and the document's bytes that it is given. */
class Viewer implements vscode.Disposable {
  readonly #settled = new Debounce(SETTLED_MILLISECONDS);
  readonly #subscriptions: vscode.Disposable;
  #ready = false;

  constructor(
    private readonly file: vscode.Uri,
    private readonly panel: vscode.WebviewPanel,
    root: vscode.Uri,
    private readonly host: ViewerHost,
  ) {
    const { webview } = panel;
    webview.options = { enableScripts: true, enableForms: false, enableCommandUris: false, localResourceRoots: [root] };
    this.#subscriptions = vscode.Disposable.from(
      webview.onDidReceiveMessage((message: FromViewer) => this.#hear(message)),
      watchFile(file, () => this.#settled.soon(() => void this.#read())),
      // A viewer that is hidden forgets everything; it says so itself when it is there again.
      panel.onDidChangeViewState(() => {
        this.#ready &&= panel.visible;
      }),
    );
    webview.html = pageFor(webview, root);
  }

  /** Show another place; one that is not ready yet asks for it itself. */
  show(target: Target): void {
    if (this.#ready) {
      this.#say({ type: 'show', target });
    }
  }

  dispose(): void {
    this.#settled.dispose();
    this.#subscriptions.dispose();
  }

  #hear(message: FromViewer): void {
    if (message.type === 'ready') {
      void this.#open();
    } else {
      this.host.shown(message);
    }
  }

  /** The document changed: one that is hidden is read when it is shown again. */
  async #read(): Promise<void> {
    if (this.panel.visible) {
      await this.#open();
    }
  }

  async #open(): Promise<void> {
    this.#ready = false;
    try {
      const { size } = await vscode.workspace.fs.stat(this.file);
      if (size > MOST_BYTES) {
        const most = MOST_BYTES / (1024 * 1024);
        this.#say({
          type: 'tell',
          message: vscode.l10n.t('This PDF is larger than {0} MB and is not shown here.', most),
        });
        return;
      }
      // A copy: the editor sends arrays as they are, but node's buffers, which these may be, as JSON.
      const bytes = new Uint8Array(await vscode.workspace.fs.readFile(this.file));
      this.#ready = true;
      this.#say({ type: 'open', bytes, target: this.host.target() });
    } catch {
      this.#say({ type: 'tell', message: vscode.l10n.t('This PDF cannot be read.') });
    }
  }

  #say(message: ToViewer): void {
    void this.panel.webview.postMessage(message);
  }
}

function pageFor(webview: vscode.Webview, root: vscode.Uri): string {
  const at = (...parts: string[]) => webview.asWebviewUri(vscode.Uri.joinPath(root, ...parts)).toString();
  return viewerPage({
    nonce: randomBytes(18).toString('base64url'),
    source: webview.cspSource,
    script: at('viewer.js'),
    style: at('viewer.css'),
    places: {
      worker: at('worker.js'),
      characterMaps: `${at('cmaps')}/`,
      fonts: `${at('standard_fonts')}/`,
      decoders: `${at('wasm')}/`,
    },
    words: viewerWords(),
    language: vscode.env.language,
  });
}
