import type { Schema } from '../../openapi/descriptions-and-examples.ts';

/** A row of the reference that describes a parameter, or a field of a body. */
export interface Field {
  name: string;
  /** The name of the field after the names of all outer fields: `data.results.city`. */
  path: string;
  schema: Schema;
  type: string;
  isRequired: boolean;
  /** The description of the field in Markdown. */
  description: string;
  values: unknown[];
  /** Whether the field may also have values that `values` does not list. */
  isOpen: boolean;
  fields: Field[];
}

/** Returns a copy of a part of the document, in which each `$ref` is replaced by its schema. */
export function dereference(part: unknown, schemas: Record<string, Schema>): unknown {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map((one) => dereference(one, schemas));
  const { $ref, ...own } = part as Schema;
  const whole = { ...schemas[$ref?.split('/').at(-1) ?? ''], ...own };
  const inner = Object.entries(whole).map(([name, one]) => [name, dereference(one, schemas)]);
  return Object.fromEntries(inner);
}

/** Returns the schema of a list's items, the schema of a nullable value without null, or else the schema itself. */
function coreOf(schema: Schema): Schema {
  const inner = schema.items ?? schema.anyOf?.find(({ type }) => type !== 'null');
  return inner ? coreOf(inner) : schema;
}

function typeOf({ type, format, items, anyOf, additionalProperties: others }: Schema): string {
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (items) return `list of ${typeOf(items)}`;
  if (typeof others === 'object' && others.type) return `object of ${typeOf(others)} by name`;
  const types = [type ?? 'any'].flat();
  return types.map((one) => (one === 'string' ? (format ?? one) : one)).join(' or ');
}

/**
 * Returns the row of the reference that describes a field with the given schema. `within` is the path of the outer
 * object, with a dot at the end.
 */
export function viewField(name: string, schema: Schema, isRequired: boolean, within = ''): Field {
  const core = coreOf(schema);
  const path = `${within}${name}`;
  return {
    name,
    path,
    schema,
    type: typeOf(schema),
    isRequired,
    description: schema.description ?? core.description ?? '',
    values: core.enum ?? core['x-extensible-enum'] ?? [],
    isOpen: core['x-extensible-enum'] !== undefined,
    fields: listFields(core, `${path}.`),
  };
}

/** Returns the fields of an object with the given schema. */
export function listFields({ properties = {}, required = [] }: Schema, within = ''): Field[] {
  return Object.entries(properties).map(([name, of]) =>
    viewField(name, of, required.includes(name), within),
  );
}
