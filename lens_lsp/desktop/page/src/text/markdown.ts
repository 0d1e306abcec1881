/**
 * Markdown of notes and models as the browser may show it: HTML in it is text, nothing in it leads anywhere or fetches
 * anything. What the renderer makes is cleaned once more, by tags that are allowed.
 */
import DOMPurify from 'dompurify';
import MarkdownIt from 'markdown-it';

const TAGS = (
  'p br hr h1 h2 h3 h4 h5 h6 blockquote ul ol li pre code em strong s table thead tbody tr th td span ' + 'sup sub'
).split(' ');

const notes = new MarkdownIt({ html: false, linkify: false, breaks: false });

/** Answers are one paragraph after another: `[1]: …` in them is no definition of a link. */
const answers = new MarkdownIt({ html: false, linkify: false, breaks: false }).disable(['reference', 'image', 'link']);

for (const renderer of [notes, answers]) {
  renderer.renderer.rules.image = (tokens, at) => {
    const words = tokens[at]?.content ?? '';
    return `<span class="image">${renderer.utils.escapeHtml(words)}</span>`;
  };
  // How cells are aligned, as classes: the page allows no style in what it shows.
  renderer.core.ruler.push('alignment', ({ tokens }) => {
    for (const token of tokens) {
      const side = /^text-align:(\w+)$/.exec(String(token.attrGet('style')))?.[1];
      if (side !== undefined) {
        token.attrs = [['class', side]];
      }
    }
  });
  renderer.renderer.rules.link_open = () => '<span class="link">';
  renderer.renderer.rules.link_close = () => '</span>';
}

function clean(html: string): DocumentFragment {
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ['class', 'start'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}

/** A note, rendered. */
export function renderedNote(markdown: string): DocumentFragment {
  return clean(notes.render(markdown));
}

/** The words of an answer, rendered; its `[n]` are still text. */
export function renderedAnswer(markdown: string): DocumentFragment {
  return clean(answers.render(markdown));
}
