import type { Response } from 'express';
import { escapeHtml } from '../../sql/html.ts';
import { isLibrary, linkAsset, type AssetName } from './assets.ts';

// A page loads only its own files, runs no inline script or style, and posts only to this service.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const doors = { '/stats': 'Statistics', '/console': 'Console', '/docs': 'Reference' };

/** The bar at the top of every page; `path` is the open page. */
function header(path: string): string {
  const current = (href: string) => (href === path ? ' aria-current="page"' : '');
  const links = Object.entries(doors).map(
    ([href, name]) => `<a href="${href}"${current(href)}>${name}</a>`,
  );
  return `<a class="skip" href="#main">Skip to the content</a>
<header>
<a class="brand" href="/"${current('/')}>Company registry</a>
<nav aria-label="Pages">${links.join('\n')}</nav>
</header>`;
}

/** `content` is HTML, `title` is text. */
export interface Page {
  /** Path of the page, when the bar at the top links it. */
  path?: string;
  title: string;
  content: string;
  /** `narrow` for a form or a message, `bare` for content with a main element of its own. */
  layout?: 'narrow' | 'wide' | 'bare';
  styles?: AssetName[];
  /** Loaded in this order, after the page is parsed. */
  scripts?: AssetName[];
}

function scriptOf(name: AssetName): string {
  const kind = isLibrary(name) ? 'defer' : 'type="module"';
  return `<script ${kind} src="${linkAsset(name)}"></script>`;
}

function renderPage({ path = '', layout = 'wide', ...page }: Page): string {
  const title = path === '/' ? page.title : `${page.title} · Company registry`;
  const tag = layout === 'bare' ? 'div' : 'main';
  const styles: AssetName[] = [...(page.styles ?? []), 'site.css'];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${linkAsset('icon.svg')}">
${styles.map((name) => `<link rel="stylesheet" href="${linkAsset(name)}">`).join('\n')}
${(page.scripts ?? []).map(scriptOf).join('\n')}
</head>
<body>
${header(path)}
<${tag} id="main" class="${layout}" tabindex="-1">
${page.content}
</${tag}>
</body>
</html>
`;
}

/** Sends a page that holds no secret. */
export function send(response: Response, page: Page, cacheControl: string): void {
  response
    .set({ 'Content-Security-Policy': policy, 'Cache-Control': cacheControl })
    .type('html')
    .send(renderPage(page));
}

/** Sends a page whose address or content can be secret. `content` is HTML, `title` is text. */
export function sendPage(response: Response, status: number, title: string, content: string): void {
  response.status(status).set({ 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' });
  const page: Page = {
    title,
    content: `<h1>${escapeHtml(title)}</h1>\n${content}`,
    layout: 'narrow',
    scripts: ['copy.js'],
  };
  send(response, page, 'no-store');
}

/** A text with a button that copies it. `label` names the text. */
export function copyable(text: string, label: string): string {
  return `<div class="copyable"><pre tabindex="0"><code>${escapeHtml(text)}</code></pre>
<button type="button" data-copy aria-label="Copy ${escapeHtml(label)}">Copy</button></div>`;
}
