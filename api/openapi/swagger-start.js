// Runs in the browser, on the page of `/docs`.
globalThis.SwaggerUIBundle({
  url: '/api/v1/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  // Else the document would be shown to a service of others.
  validatorUrl: null,
});
