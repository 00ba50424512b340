import { STATUS_CODES } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { HttpError, sendError, unavailable } from './errors.ts';

/**
 * Answers 503 after `deadline_ms`, so that no client waits for a database that hangs. A client that has
 * not sent its body gets a 408. A later answer is dropped. Only the first deadline of a request counts.
 */
export function answerBy(deadline_ms: number): RequestHandler {
  return (request, response, next) => {
    const answer = () => answerLate(request, response, deadline_ms);
    response.locals.deadline ??= setTimeout(answer, deadline_ms);
    response.locals.lastClaim_ms ??= performance.now() + (deadline_ms * 2) / 3;
    response.once('close', () => clearTimeout(response.locals.deadline));
    next();
  };
}

/** Returns whether nobody waits for an answer: the client is gone, or has a 503. */
export function isGivenUp(response: Response): boolean {
  return response.headersSent || response.closed;
}

/**
 * Returns whether a client still waits, and then ends the deadline: what the client pays for must be sent. Returns
 * false in the last third of the time, as the payment would be answered long after the deadline.
 */
export function claimAnswer(response: Response): boolean {
  const { deadline, lastClaim_ms } = response.locals as {
    deadline?: NodeJS.Timeout;
    lastClaim_ms?: number;
  };
  if (isGivenUp(response) || performance.now() > (lastClaim_ms ?? Infinity)) return false;
  clearTimeout(deadline);
  return true;
}

function answerLate(request: Request, response: Response, deadline_ms: number): void {
  if (response.headersSent) return;
  response.locals.err = new Error(`No answer after ${deadline_ms} ms`);
  // Otherwise the client has not sent its whole body.
  const error = request.complete
    ? unavailable()
    : new HttpError(408, { message: STATUS_CODES[408]! });
  sendError(response.set('Connection', 'close'), error);
}
