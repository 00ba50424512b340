import type { OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi';
import type { Enums } from '../dictionaries/names.ts';
import samples from './examples.json' with { type: 'json' };
import glossary from './glossary.json' with { type: 'json' };

export type OpenApiDocument = ReturnType<OpenApiGeneratorV31['generateDocument']>;

/** The properties of a schema in the OpenAPI document, as far as this service uses them. */
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
  content?: Record<string, { schema: Schema; example?: object | undefined }>;
}

/** The properties of an operation in the OpenAPI document, as far as this service uses them. */
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

/** The descriptions of the document's parts by name; a property or parameter may also have `schema.name` as key. */
export const descriptions: Record<string, string> = glossary;

/**
 * The examples by key. Keys are the name or `operation.name` of a required parameter, `operation.name` of an optional
 * parameter, the name or `schema.name` of a property, the operation of a body, and the schema of an object.
 */
const examples = new Map<string, unknown>(Object.entries(samples));

/** Adds names of answers, descriptions from `glossary.json`, and values of dictionaries to a generated document. */
export function complete(document: OpenApiDocument, enums?: Enums): void {
  const schemas = ((document.components ??= {}).schemas ??= {}) as Record<string, Schema>;
  for (const [path, item] of Object.entries({ ...document.paths, ...document.webhooks })) {
    for (const [method, operation] of Object.entries(item as Record<string, Operation>)) {
      operation.description ??= descriptions[operation.operationId];
      describeAnswer(operation, `Answer of \`${method.toUpperCase()} ${path}\`.`, schemas);
      for (const one of operation.parameters ?? []) describeParameter(one, operation.operationId);
      const body = operation.requestBody?.content?.['application/json'];
      if (body) describeWithin(body.schema, 'request');
      if (body) body.example = examples.get(operation.operationId) as object;
    }
  }
  for (const [name, schema] of Object.entries(schemas)) {
    schema.description ??= descriptions[name];
    describeWithin(schema, name);
  }
  for (const [name, values] of Object.entries(enums ?? {})) {
    // Event types are an open list, since a client that accepts only the listed types would fail at a new type.
    if (schemas[name]) schemas[name][name.endsWith('Type') ? 'x-extensible-enum' : 'enum'] = values;
  }
}

/** Gives the answer of an operation its example, and a name: `GetWalletTransactionsAnswer`. */
function describeAnswer(
  { operationId, responses }: Operation,
  description: string,
  schemas: Record<string, Schema>,
): void {
  const success = Object.keys(responses).find((status) => status.startsWith('2'))!;
  const content = responses[success]?.content?.['application/json'];
  if (!content) return;
  const words = operationId.split('_').map((word) => word[0]!.toUpperCase() + word.slice(1));
  const name = `${words.join('')}Answer`;
  const made = makeExample(content.schema, name, schemas) as object;
  content.example = { ...made, ...content.example };
  if (content.schema.$ref !== undefined) return;
  schemas[name] = { description, ...content.schema };
  content.schema = { $ref: `#/components/schemas/${name}` };
}

/** Returns an example of a schema: the example for its name, else an example made from examples of its properties. */
function makeExample(schema: Schema, name: string, schemas: Record<string, Schema>): unknown {
  const named = schema.$ref?.split('/').at(-1);
  if (named) return examples.get(named) ?? makeExample(schemas[named]!, named, schemas);
  if (schema.enum?.length === 1) return schema.enum[0];
  if (schema.items) return [makeExample(schema.items, name, schemas)];
  const parts = Object.entries(schema.properties ?? {}).flatMap(([property, of]) => {
    const key = [`${name}.${property}`, property].find((one) => examples.has(one));
    if (key !== undefined) return [[property, examples.get(key)]];
    const isRequired = schema.required?.includes(property);
    return isRequired ? [[property, makeExample(of, name, schemas)]] : [];
  });
  return Object.fromEntries(parts);
}

// Few optional parameters have examples: a tool that sends all examples in one request would find no company.
function describeParameter(parameter: Parameter, operationId: string): void {
  const { name, schema } = parameter;
  const sample =
    examples.get(`${operationId}.${name}`) ?? (parameter.required ? examples.get(name) : undefined);
  if (sample !== undefined) parameter.example = sample as string;
  const shared = descriptions[schema.$ref?.split('/').at(-1) ?? ''];
  parameter.description ??= shared ?? describeProperty(name, 'query');
}

/**
 * Adds the missing descriptions to the properties of a schema.
 *
 * @param name the name of the schema, or `request` for a request body
 */
function describeWithin(schema: Schema, name: string): void {
  // Later versions may add fields, so the schema of an answer allows additional properties.
  if (name !== 'request' && schema.additionalProperties === false) {
    delete schema.additionalProperties;
  }
  for (const [property, of] of Object.entries(schema.properties ?? {})) {
    if (of.$ref === undefined) of.description ??= describeProperty(property, name);
    describeWithin(of, name);
  }
  for (const part of [schema.items ?? [], schema.anyOf ?? []].flat()) describeWithin(part, name);
}

/** Returns the description of a property; undefined for a name without description, which makes a test fail. */
function describeProperty(property: string, where: string): string | undefined {
  return descriptions[`${where}.${property}`] ?? descriptions[property];
}
