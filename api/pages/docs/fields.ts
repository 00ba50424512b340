import { renderSentence } from './markdown.ts';

/** A schema of the OpenAPI document. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  deprecated?: boolean;
  enum?: unknown[];
  'x-extensible-enum'?: unknown[];
  default?: string | number | boolean;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: boolean | Schema;
}

export type Schemas = Record<string, Schema>;

/** A parameter, or a field of a body, as the page lists it. */
export interface Field {
  name: string;
  /** With the names of the fields that it is in: `data.results.city`. */
  path: string;
  type: string;
  isRequired: boolean;
  isDeprecated: boolean;
  /** HTML. */
  description: string;
  /** Such as `3 to 255 characters`. */
  limits: string[];
  values: string[];
  /** Whether there may be values that are not listed. */
  isOpen: boolean;
  fields: Field[];
}

function resolve(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...own } = schema;
  return { ...schemas[$ref.split('/').at(-1)!], ...own };
}

/** What a list holds, and what a value is that can be null. */
function coreOf(schema: Schema, schemas: Schemas): Schema {
  const found = resolve(schema, schemas);
  const inner = found.items ?? found.anyOf?.find(({ type }) => type !== 'null');
  return inner ? coreOf(inner, schemas) : found;
}

function typeOf(schema: Schema, schemas: Schemas): string {
  const { type, format, items, anyOf, additionalProperties: others } = resolve(schema, schemas);
  if (anyOf) return anyOf.map((part) => typeOf(part, schemas)).join(' or ');
  if (items) return `list of ${typeOf(items, schemas)}`;
  if (typeof others === 'object' && others.type)
    return `object of ${typeOf(others, schemas)} by name`;
  const types = [type ?? 'any'].flat();
  return types.map((one) => (one === 'string' ? (format ?? one) : one)).join(' or ');
}

function range(least: number | undefined, most: number | undefined, unit = ''): string[] {
  // A bound that nobody meets, such as that of `page`, says nothing.
  const isBounded = most !== undefined && most < 1e9;
  if (least !== undefined && isBounded)
    return [least === most ? `${most}${unit}` : `${least} to ${most}${unit}`];
  if (isBounded) return [`at most ${most}${unit}`];
  return least === undefined ? [] : [`at least ${least}${unit}`];
}

function limitsOf(of: Schema): string[] {
  return [
    ...range(of.minLength, of.maxLength, ' characters'),
    ...range(of.minimum, of.maximum),
    ...range(of.minItems, of.maxItems, ' items'),
    ...(of.pattern === undefined ? [] : [`matches ${of.pattern}`]),
    ...(of.default === undefined ? [] : [`default ${String(of.default)}`]),
  ];
}

/** A field by its schema; `within` is the path of the object that it is in. */
export function viewField(
  name: string,
  schema: Schema,
  isRequired: boolean,
  schemas: Schemas,
  within = '',
): Field {
  const of = resolve(schema, schemas);
  const core = coreOf(schema, schemas);
  const path = `${within}${name}`;
  return {
    name,
    path,
    type: typeOf(schema, schemas),
    isRequired,
    isDeprecated: of.deprecated ?? false,
    description: renderSentence(of.description ?? core.description ?? ''),
    limits: limitsOf(of),
    values: (core.enum ?? core['x-extensible-enum'] ?? []).map(String),
    isOpen: core['x-extensible-enum'] !== undefined,
    fields: listFields(core, schemas, `${path}.`),
  };
}

/** The fields of an object. */
export function listFields(schema: Schema, schemas: Schemas, within = ''): Field[] {
  const { properties = {}, required = [] } = resolve(schema, schemas);
  return Object.entries(properties).map(([name, of]) =>
    viewField(name, of, required.includes(name), schemas, within),
  );
}
