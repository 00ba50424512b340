import { general } from '../../openapi/errors.ts';
import type { OpenApiDocument } from '../../openapi/document.ts';
import { type Field, listFields, type Schema, type Schemas, viewField } from './fields.ts';
import { renderMarkdown, renderSentence } from './markdown.ts';
import quickstart from './quickstart.json' with { type: 'json' };
import { type Sample, writeSamples } from './samples.ts';

interface Content {
  schema: Schema;
  example?: unknown;
}

interface Answer {
  description: string;
  content?: Record<string, Content>;
}

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, unknown>[];
  parameters?: {
    name: string;
    in: 'path' | 'query' | 'header';
    required?: boolean;
    description?: string;
    example?: string;
    schema: Schema;
  }[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, Answer>;
  'x-credits'?: number;
  'x-rate-limit': { requests: number; window_seconds: number; per: string };
}

/** An endpoint as the page shows it. */
export interface Described {
  id: string;
  method: string;
  path: string;
  chapter: string;
  summary: string;
  /** HTML. */
  description: string;
  access: string;
  price: string;
  limit: string;
  /** Parameters by where they are, the body, and the answer. */
  requests: { title: string; fields: Field[] }[];
  answer: { status: string; fields: Field[]; examples: { type: string; text: string }[] };
  /** Those that the endpoint has for itself; HTML and an example. */
  errors: Failure[];
  /** The status codes of errors that all endpoints explain alike. */
  generalErrors: string[];
  samples: Sample[];
}

interface Failure {
  status: string;
  description: string;
  example: string;
}

const places = { path: 'Path', query: 'Query', header: 'Headers' };

const access: Record<string, string> = {
  master: 'Master Token',
  token: 'API token or Master Token',
};

const windows: Record<number, string> = { 60: 'a minute', 3600: 'an hour', 86_400: 'a day' };

const show = (example: unknown) =>
  typeof example === 'string' ? example : JSON.stringify(example, null, 2);

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

function listRequests({ parameters = [], requestBody }: Operation, schemas: Schemas) {
  const byPlace = Object.entries(places).map(([place, title]) => ({
    title,
    fields: parameters
      .filter((one) => one.in === place)
      .map(({ name, schema, description, required = false }) =>
        viewField(name, { ...schema, ...(description && { description }) }, required, schemas),
      ),
  }));
  const body = requestBody?.content['application/json']?.schema ?? {};
  return [...byPlace, { title: 'Body', fields: listFields(body, schemas) }].filter(
    ({ fields }) => fields.length > 0,
  );
}

function viewFailure(status: string, { description, content }: Answer): Failure {
  const example = content?.['application/json']?.example;
  return {
    status,
    description: renderSentence(description),
    example: example === undefined ? '' : show(example),
  };
}

function isGeneral([status, { description }]: [string, Answer]): boolean {
  return general[status as unknown as keyof typeof general]?.description === description;
}

function describeLimit({ requests, window_seconds, per }: Operation['x-rate-limit']): string {
  const window = windows[window_seconds] ?? `in ${window_seconds} seconds`;
  return `${requests} ${requests === 1 ? 'request' : 'requests'} ${window} per ${per}`;
}

/** Describes an operation, with samples that ask the API at `origin`. */
function describe(
  origin: string,
  path: string,
  method: string,
  operation: Operation,
  schemas: Schemas,
): Described {
  const { operationId: id, security, requestBody, responses } = operation;
  const answers = Object.entries(responses);
  const [status, { content = {} }] = answers.find(([code]) => code.startsWith('2'))!;
  const failures = answers.filter(([code]) => code !== status);
  const [[needed] = []] = security.map((one) => Object.keys(one));
  const token = needed && { master: 'MASTER_TOKEN', token: 'API_TOKEN' }[needed];
  const { example } = requestBody?.content['application/json'] ?? {};
  const price = operation['x-credits'];
  return {
    id,
    method: method.toUpperCase(),
    path,
    chapter: chapterOf(operation.tags[0]!),
    summary: operation.summary,
    description: renderMarkdown(operation.description ?? '').html,
    access: needed ? access[needed]! : 'no token',
    price: price ? `${price} ${price === 1 ? 'credit' : 'credits'}` : 'free',
    limit: describeLimit(operation['x-rate-limit']),
    requests: listRequests(operation, schemas),
    answer: {
      status,
      fields: listFields(Object.values(content)[0]?.schema ?? {}, schemas, `answer.`),
      examples: Object.entries(content).map(([type, one]) => ({ type, text: show(one.example) })),
    },
    errors: failures
      .filter((failure) => !isGeneral(failure))
      .map(([code, failure]) => viewFailure(code, failure)),
    generalErrors: failures.filter(isGeneral).map(([code]) => code),
    samples: writeSamples({
      method: method.toUpperCase(),
      url: origin + addressOf(path, operation.parameters),
      token,
      body: example as object | undefined,
      isJson: 'application/json' in content,
    }),
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
    steps: quickstart.map(({ title, text, operation }) => ({
      title,
      text: renderSentence(text),
      operation: operations.find(({ id }) => id === operation)!,
    })),
    errors: Object.entries(general).map(([status, { description, example }]) => ({
      status,
      description: renderSentence(description),
      example: show(example),
    })),
    chapters,
  };
}
