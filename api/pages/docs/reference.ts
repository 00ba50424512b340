import type {
  OpenApiDocument,
  Operation,
  Schema,
} from '../../openapi/descriptions-and-examples.ts';
import codes from '../../http/error-codes.json' with { type: 'json' };
import general from '../../openapi/errors.json' with { type: 'json' };
import { dereference, listFields, viewField } from './fields.ts';
import { renderMarkdown } from './markdown.ts';
import quickstart from './quickstart.json' with { type: 'json' };

/** The description of an endpoint for a page of the reference. */
export type Described = ReturnType<typeof describe>;

const places = { path: 'Path', query: 'Query', header: 'Headers' };

/** Returns the URL of the reference's chapter for a tag of the OpenAPI document. */
function chapterOf(tag: string): string {
  return `/docs/${tag.toLowerCase().replaceAll(' ', '-')}`;
}

/** Returns the URL of a sample request, with the examples of its parameters. */
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

/** Returns the fields of a request by location: path, query, headers and body. */
function listRequests({ parameters = [] }: Operation, body: Schema) {
  const byPlace = Object.entries(places).map(([place, title]) => ({
    title,
    fields: parameters
      .filter((one) => one.in === place)
      .map(({ name, schema, description = schema.description, required = false }) =>
        viewField(name, { ...schema, description }, required),
      ),
  }));
  return [...byPlace, { title: 'Body', fields: listFields(body) }].filter(
    ({ fields }) => fields.length > 0,
  );
}

/** Returns the description of an operation; its code samples call the API at `origin`. */
function describe(origin: string, path: string, method: string, operation: Operation) {
  const { parameters, requestBody, responses } = operation;
  const answers = Object.entries(responses);
  const [status, { content = {} }] = answers.find(([code]) => code.startsWith('2'))!;
  const errors = answers
    .filter(([code]) => code !== status)
    .map(([code, { description, content: shown }]) => {
      const isGeneral = general[code as keyof typeof general]?.description === description;
      const example = shown?.['application/json']?.example;
      return { status: code, description, example, isGeneral };
    });
  const body = requestBody?.content?.['application/json'];
  return {
    ...operation,
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    chapter: chapterOf(operation.tags[0]!),
    requests: listRequests(operation, body?.schema ?? {}),
    answer: {
      status,
      fields: listFields(Object.values(content)[0]?.schema ?? {}, 'answer.'),
      content,
    },
    /** The errors with a description that only this endpoint has. */
    errors: errors.filter(({ isGeneral }) => !isGeneral),
    /** The errors with the same description at all endpoints. */
    generalErrors: errors.filter(({ isGeneral }) => isGeneral),
    url: origin + addressOf(path, parameters),
    body: body?.example,
  };
}

export type Reference = ReturnType<typeof createReference>;

/** Returns the content of the reference's pages, made from an OpenAPI document. */
export function createReference(origin: string, document: OpenApiDocument) {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  const paths = dereference(document.paths ?? {}, schemas) as Record<
    string,
    Record<string, Operation>
  >;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => describe(origin, path, method, operation)),
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
    // All error codes, with texts of error-codes.json; the template api/html/templates/docs/error-codes.eta shows them.
    codes: [
      ...Object.entries(codes.answers).map(([code, { status, text }]) => ({ code, status, text })),
      ...Object.entries(codes.fields).map(([code, text]) => ({ code, status: undefined, text })),
    ],
    chapters,
  };
}
