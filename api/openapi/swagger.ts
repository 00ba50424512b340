import { fileURLToPath } from 'node:url';
import { Router } from 'express';
import { onlyAllow } from '../http/errors.ts';

/** Served below `/docs/`; nothing is loaded from elsewhere. */
const files = {
  'swagger-ui.css': import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
  'swagger-ui-bundle.js': import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  'favicon-32x32.png': import.meta.resolve('swagger-ui-dist/favicon-32x32.png'),
  'start.js': import.meta.resolve('./swagger-start.js'),
};

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Company registry: API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

// Swagger UI has its icons in its style sheet.
const policy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "style-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `/docs`: the OpenAPI document to read and to try. */
export function createDocs(): Router {
  const router = Router();
  router
    .route('/docs')
    .get((_request, response) => {
      response.set('Content-Security-Policy', policy).type('html').send(page);
    })
    .all(onlyAllow('GET, HEAD'));

  for (const [name, url] of Object.entries(files)) {
    router
      .route(`/docs/${name}`)
      .get((_request, response) => {
        response.sendFile(fileURLToPath(url), { maxAge: '1h' });
      })
      .all(onlyAllow('GET, HEAD'));
  }
  return router;
}
