import type { OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi';
import type { Enums } from '../dictionaries/names.ts';
import examples from './examples.json' with { type: 'json' };
import glossary from './glossary.json' with { type: 'json' };

export type OpenApiDocument = ReturnType<OpenApiGeneratorV31['generateDocument']>;

/** The properties of a schema of the OpenAPI document that this service reads. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string | undefined;
  enum?: unknown[];
  'x-extensible-enum'?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: boolean | Schema;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  description?: string | undefined;
  required?: boolean;
  example?: string | undefined;
  schema: Schema;
}

interface Body {
  description?: string;
  content?: Record<string, { schema: Schema; example?: unknown }>;
}

/** The properties of an operation of the OpenAPI document that this service reads. */
export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string | undefined;
  security: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: Body;
  responses: Record<string, Body>;
}

/** The descriptions of all parts of the document by name; of a property or parameter also by `schema.name`. */
export const descriptions: Record<string, string> = glossary;

/** The sample values of parameters: required ones by name, others by `operation.name`. */
const samples: Record<string, string> = examples;

/** Names the answers of a generated document, describes what the glossary describes, and lists dictionary values. */
export function complete(document: OpenApiDocument, enums?: Enums): void {
  const schemas = ((document.components ??= {}).schemas ??= {}) as Record<string, Schema>;
  for (const [path, item] of Object.entries({ ...document.paths, ...document.webhooks })) {
    for (const [method, operation] of Object.entries(item as Record<string, Operation>)) {
      operation.description ??= descriptions[operation.operationId];
      nameAnswer(operation, `Answer of \`${method.toUpperCase()} ${path}\`.`, schemas);
      for (const one of operation.parameters ?? []) describeParameter(one, operation.operationId);
      const body = operation.requestBody?.content?.['application/json']?.schema;
      if (body) describeWithin(body, 'request');
    }
  }
  for (const [name, schema] of Object.entries(schemas)) {
    schema.description ??= descriptions[name];
    describeWithin(schema, name);
  }
  for (const [name, values] of Object.entries(enums ?? {})) {
    // Types are an open list: a client that accepts only the listed types would break at a new type.
    if (schemas[name]) schemas[name][name.endsWith('Type') ? 'x-extensible-enum' : 'enum'] = values;
  }
}

// The answer of `get_wallet_transactions` gets the schema `GetWalletTransactionsAnswer`.
function nameAnswer(
  { operationId, responses }: Operation,
  description: string,
  schemas: Record<string, Schema>,
): void {
  const success = Object.keys(responses).find((status) => status.startsWith('2'))!;
  const content = responses[success]?.content?.['application/json'];
  if (!content || content.schema.$ref !== undefined) return;
  const words = operationId.split('_').map((word) => word[0]!.toUpperCase() + word.slice(1));
  const name = `${words.join('')}Answer`;
  schemas[name] = { description, ...content.schema };
  content.schema = { $ref: `#/components/schemas/${name}` };
}

// Optional parameters rarely have examples: tools fill all examples into a request, which would find nothing.
function describeParameter(parameter: Parameter, operationId: string): void {
  const { name, schema } = parameter;
  const sample =
    samples[`${operationId}.${name}`] ?? (parameter.required ? samples[name] : undefined);
  if (sample !== undefined) parameter.example = sample;
  const shared = descriptions[schema.$ref?.split('/').at(-1) ?? ''];
  parameter.description ??= shared ?? describeProperty(name, 'query');
}

/** Adds the missing descriptions to the properties of a schema. @param name the name of the schema, or `request` for a request body */
function describeWithin(schema: Schema, name: string): void {
  // A client must accept fields that later versions add.
  if (name !== 'request' && schema.additionalProperties === false) {
    delete schema.additionalProperties;
  }
  for (const [property, of] of Object.entries(schema.properties ?? {})) {
    if (of.$ref === undefined) of.description ??= describeProperty(property, name);
    describeWithin(of, name);
  }
  for (const part of [schema.items ?? [], schema.anyOf ?? []].flat()) describeWithin(part, name);
}

/** Returns the description of a property; undefined for a name without a description, which a test finds. */
function describeProperty(property: string, where: string): string | undefined {
  return descriptions[`${where}.${property}`] ?? descriptions[property];
}
