import { posix } from 'node:path';
import { Marked, Renderer } from 'marked';
import { escapeHtml } from '../../html/texts.ts';

interface Choices {
  /** Returns the URL of a link; undefined if no page has the linked file, whose path is then shown as text. */
  resolveLink?: (href: string) => string | undefined;
  /** Whether each block of code has a button that copies the code; the page must load `copy.js`. */
  isCopied?: boolean;
  /** The folder of the Markdown file, since the paths of its links are relative to this folder. */
  folder?: string;
  /** The level of the largest heading, for a text that is a part of a page; level 1 is `<h1>`. */
  topDepth?: number;
}

const copyButton =
  '<button type="button" data-copy data-copied="Copied" data-selected="Selected" aria-label="Copy the code">Copy</button>';

/** Returns the URL of a link; undefined for an unsafe URL, such as a URL that runs a script. */
function keepSafe(href: string): string | undefined {
  return /^(?:https?:|mailto:|tel:|[/#?]|[\w.-]+(?:$|[/#?]))/i.test(href) ? href : undefined;
}

/** Returns a function that makes anchors of headings like GitHub: the second heading "Fields" is `fields-1`. */
function createSlugs(): (text: string) => string {
  const counts = new Map<string, number>();
  return (text) => {
    const slug = text
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

/** Returns Markdown as HTML like GitHub, with anchors. HTML in the text is shown as text, without HTML comments. */
export function renderMarkdown(text: string, choices: Choices = {}) {
  const { resolveLink = keepSafe, folder = '.', isCopied = false, topDepth = 1 } = choices;
  const headings: { depth: number; text: string; id: string }[] = [];
  const slugOf = createSlugs();
  const marked = new Marked({
    renderer: {
      heading({ depth: written, tokens }) {
        const depth = Math.max(written, topDepth);
        const words = this.parser.parseInline(tokens, this.parser.textRenderer);
        const id = slugOf(words);
        headings.push({ depth, text: words, id });
        const shown = this.parser.parseInline(tokens);
        return `<h${depth} id="${id}"><a href="#${id}">${shown}</a></h${depth}>\n`;
      },
      html({ raw }) {
        return escapeHtml(raw.replaceAll(/<!--.*?-->\n?/gs, ''));
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const address = resolveLink(href);
        if (address !== undefined) return `<a href="${escapeHtml(address)}">${words}</a>`;
        const path = posix.join(folder, href.split('#')[0]!);
        return this.parser.parseInline(tokens, this.parser.textRenderer) === path
          ? `<code>${words}</code>`
          : `${words} (<code>${escapeHtml(path)}</code>)`;
      },
      image({ text: words }) {
        return escapeHtml(words);
      },
      table(token) {
        const table = Renderer.prototype.table.call(this, token).trimEnd();
        return `<div class="scroll" tabindex="0" role="group" aria-label="Table">${table}</div>\n`;
      },
      code({ text: code }) {
        const shown = `<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>\n`;
        return isCopied ? `<div class="copyable">${shown}${copyButton}</div>\n` : shown;
      },
    },
  });
  return { html: marked.parse(text, { async: false }), headings };
}

/** Returns the Markdown of a sentence, such as code and emphasis, as HTML without `<p>`. */
export function renderSentence(text: string): string {
  return new Marked({ renderer: { html: ({ raw }) => escapeHtml(raw) } }).parseInline(text, {
    async: false,
  });
}
