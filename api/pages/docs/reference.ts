import type { OpenApiDocument, Operation, Schema } from '../../openapi/complete.ts';
import general from '../../openapi/errors.json' with { type: 'json' };
import { listFields, type Schemas, viewField } from './fields.ts';
import { renderMarkdown } from './markdown.ts';
import quickstart from './quickstart.json' with { type: 'json' };

/** An endpoint as the page shows it. */
export type Described = ReturnType<typeof describe>;

const places = { path: 'Path', query: 'Query', header: 'Headers' };

/** The address of a chapter. */
function chapterOf(tag: string): string {
  return `/docs/${tag.toLowerCase().replaceAll(' ', '-')}`;
}

/** The address that a sample asks for, with the examples of the parameters. */
function addressOf(path: string, parameters: Operation['parameters'] = []): string {
  const given = parameters.filter(({ example }) => example !== undefined);
  const filled = path.replaceAll(
    /\{(\w+)\}/g,
    (whole, name: string) => given.find((one) => one.name === name)?.example ?? whole,
  );
  const query = new URLSearchParams();
  for (const one of given) if (one.in === 'query') query.append(one.name, one.example!);
  return filled + (query.size > 0 ? `?${query.toString()}` : '');
}

/** The fields of a request: the parameters by where they are, and the body. */
function listRequests({ parameters = [] }: Operation, body: Schema, schemas: Schemas) {
  const byPlace = Object.entries(places).map(([place, title]) => ({
    title,
    fields: parameters
      .filter((one) => one.in === place)
      .map(({ name, schema, description = schema.description, required = false }) =>
        viewField(name, { ...schema, description }, required, schemas),
      ),
  }));
  return [...byPlace, { title: 'Body', fields: listFields(body, schemas) }].filter(
    ({ fields }) => fields.length > 0,
  );
}

/** An error by its status, with an example of its body where it has one. */
function viewError([status, { description, content }]: [string, Operation['responses'][string]]) {
  const example = content?.['application/json']?.example;
  const isGeneral = general[status as keyof typeof general]?.description === description;
  return { status, description, example, isGeneral };
}

/** Describes an operation, with what its samples ask of the API at `origin`. */
function describe(
  origin: string,
  path: string,
  method: string,
  operation: Operation,
  schemas: Schemas,
) {
  const { parameters, requestBody, responses } = operation;
  const answers = Object.entries(responses);
  const [status, { content = {} }] = answers.find(([code]) => code.startsWith('2'))!;
  const errors = answers.filter(([code]) => code !== status).map(viewError);
  const body = requestBody?.content?.['application/json'];
  return {
    ...operation,
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    chapter: chapterOf(operation.tags[0]!),
    requests: listRequests(operation, body?.schema ?? {}, schemas),
    answer: {
      status,
      fields: listFields(Object.values(content)[0]?.schema ?? {}, schemas, 'answer.'),
      content,
    },
    /** Those that the endpoint has for itself. */
    errors: errors.filter(({ isGeneral }) => !isGeneral),
    /** Those that all endpoints explain alike. */
    generalErrors: errors.filter(({ isGeneral }) => isGeneral),
    url: origin + addressOf(path, parameters),
    body: body?.example,
  };
}

export type Reference = ReturnType<typeof createReference>;

/** Makes the pages of the reference of an OpenAPI document. */
export function createReference(origin: string, document: OpenApiDocument) {
  const schemas = (document.components?.schemas ?? {}) as Schemas;
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(([method, operation]) =>
      describe(origin, path, method, operation, schemas),
    ),
  );
  const chapters = (document.tags ?? []).map(({ name, description = '' }) => ({
    title: name,
    path: chapterOf(name),
    description,
    operations: operations.filter(({ chapter }) => chapter === chapterOf(name)),
  }));
  const { html, headings } = renderMarkdown(document.info.description ?? '', { topDepth: 2 });
  const chaptersAt = html.indexOf('<h2');
  return {
    version: document.info.version,
    introduction: { lead: html.slice(0, chaptersAt), html: html.slice(chaptersAt), headings },
    steps: quickstart.map((step) => ({
      ...step,
      operation: operations.find(({ id }) => id === step.operation)!,
    })),
    errors: Object.entries(general).map(([status, error]) => ({ status, ...error })),
    chapters,
  };
}
