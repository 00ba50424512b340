import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Context } from '../http/context.ts';
import type { Problem } from '../http/errors.ts';
import type { Caller } from '../auth/authenticate.ts';
import type { RequestLimit } from '../figures.ts';

/** The token that a call needs: none, any token, or the Master Token. */
export type Auth = 'none' | 'token' | 'master';

/** An error of an endpoint that does not follow from the rest of its description. */
export interface DocumentedError {
  description: string;
  example: object;
}

/** Describes an endpoint: requests are checked by it, and the OpenAPI document is made of it. */
export interface EndpointDescription<
  A extends Auth,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below `/api/v1`, with parameters as in OpenAPI: `/tokens/{token_ref}`. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  auth: A;
  /** Whether requests of one account run one after the other in a process, because they lock it. */
  isInTurn?: true;
  /** What an answer costs, for the document; the handler charges. Default: nothing. */
  credits?: number;
  /**
   * Without a token, the limit of an address instead of the general one. With a token, the limit of an
   * account, beside the general one of the token: answers have its rest.
   */
  limit?: RequestLimit;
  /** Strict objects: an unknown field is refused. */
  params?: Params;
  query?: Query;
  /** Request headers for the document; the handler reads them itself. */
  headers?: z.ZodObject;
  body?: Body;
  /** Checks what only the database knows, in the fields of query and body; gives what is wrong. */
  check?: (given: Record<string, unknown>) => Promise<Problem[]>;
  /** Of `body`, for the document. */
  bodyExample?: object;
  /** Of the success; default 200. */
  status?: 201 | 202;
  answer: z.ZodType;
  /** Of the success; default JSON. The handler sets another type itself. */
  mediaType?: 'text/csv';
  /**
   * `Cache-Control` of the success of a GET without a token, unless the handler sets another value.
   * Such an answer has an `ETag`. Default: `no-cache`.
   */
  cacheControl?: string;
  example: object | string;
  /** Of the success as CSV, where a client may ask for CSV by `Accept`. */
  csvExample?: string;
  errors?: Record<number, DocumentedError>;
}

/** An authenticated and checked request. */
export interface Call<A extends Auth, Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  caller: A extends 'none' ? undefined : Caller;
  request: Request;
  response: Response;
  /** Is asked right before a charge: returns whether the client still waits, and then ends the deadline. */
  claim: () => boolean;
  options: Context;
}

/** An endpoint as the application mounts it and the OpenAPI document lists it. */
export interface Endpoint {
  description: EndpointDescription<Auth, z.ZodObject, z.ZodObject, z.ZodType>;
  handle: (call: Call<Auth, unknown, unknown, unknown>) => Promise<object | string>;
}

/**
 * Joins a description with its handler, which returns the body of the success, or the text of the body.
 * It throws an `HttpError` for any other answer.
 */
export function endpoint<
  A extends Auth,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
>(
  description: EndpointDescription<A, Params, Query, Body>,
  handle: (
    call: Call<A, z.output<Params>, z.output<Query>, z.output<Body>>,
  ) => Promise<object | string> | object,
): Endpoint {
  // The description has parsed the arguments of the handler.
  return { description, handle } as unknown as Endpoint;
}

/** Writes a body of `status`, `data` and `meta` whose data is JSON text already. */
export function writeSuccess(data: string, meta: object): string {
  return `{"status":"success","data":${data},"meta":${JSON.stringify(meta)}}`;
}
