// Shows the OpenAPI document on the page of `/docs`, light or dark as the system is.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

globalThis.SwaggerUIBundle({
  url: '/api/v1/openapi.json',
  dom_id: '#swagger-ui',
  // Each operation would get a link within a button, which a keyboard cannot reach.
  deepLinking: false,
  // Else the document would be shown to a service of others.
  validatorUrl: null,
});
