import { createHash } from 'node:crypto';
import type { Response } from 'express';

const style = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 4rem auto; padding: 0 1rem; color: #1c1c1c }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.5rem }
dd { margin: 0 }
form.inline { display: inline-block; margin-right: 1rem }
label, input, button { display: block; font: inherit }
input { width: 100%; box-sizing: border-box; padding: 0.5rem; margin: 0.25rem 0 1rem }
button { padding: 0.5rem 1.25rem }
code { display: block; padding: 0.75rem; background: #f2f2f2; overflow-wrap: anywhere }
[role='alert'] { padding: 0.75rem; background: #fdecea }
`;

// Nothing runs, nothing is loaded, and a form goes nowhere but to us.
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

/**
 * Sends a page of our own, of which nothing may be kept or passed on, since its address or what it
 * shows can be a secret. `content` is HTML, `title` is text.
 */
export function sendPage(response: Response, status: number, title: string, content: string): void {
  response
    .status(status)
    .set('Content-Security-Policy', policy)
    .set('Cache-Control', 'no-store')
    .set('Referrer-Policy', 'no-referrer')
    .set('X-Robots-Tag', 'noindex')
    .type('html')
    .send(
      `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`,
    );
}
