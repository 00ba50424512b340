import type { Schema } from '../../openapi/complete.ts';

export type Schemas = Record<string, Schema>;

/** A parameter or a field of a body, as a page of the reference lists it. */
export interface Field {
  name: string;
  /** The name with the names of all outer fields before it: `data.results.city`. */
  path: string;
  schema: Schema;
  type: string;
  isRequired: boolean;
  /** The description of the field in Markdown. */
  description: string;
  values: unknown[];
  /** Whether the field may have values besides `values`. */
  isOpen: boolean;
  fields: Field[];
}

function resolve(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...own } = schema;
  return { ...schemas[$ref.split('/').at(-1)!], ...own };
}

/** Returns the schema of a list's items, or of a nullable value without null; else the schema itself. */
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

/** Returns the field with a schema; `within` is the path of the outer object, with a dot at its end. */
export function viewField(
  name: string,
  schema: Schema,
  isRequired: boolean,
  schemas: Schemas,
  within = '',
): Field {
  const resolved = resolve(schema, schemas);
  const core = coreOf(schema, schemas);
  const path = `${within}${name}`;
  return {
    name,
    path,
    schema: resolved,
    type: typeOf(schema, schemas),
    isRequired,
    description: resolved.description ?? core.description ?? '',
    values: core.enum ?? core['x-extensible-enum'] ?? [],
    isOpen: core['x-extensible-enum'] !== undefined,
    fields: listFields(core, schemas, `${path}.`),
  };
}

/** Returns the fields of an object with the given schema. */
export function listFields(schema: Schema, schemas: Schemas, within = ''): Field[] {
  const { properties = {}, required = [] } = resolve(schema, schemas);
  return Object.entries(properties).map(([name, of]) =>
    viewField(name, of, required.includes(name), schemas, within),
  );
}
