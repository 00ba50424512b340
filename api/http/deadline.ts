import { STATUS_CODES } from 'node:http';
import type { RequestHandler, Response } from 'express';
import { HttpError, sendError, unavailable } from './errors.ts';

/**
 * Returns a middleware that answers 503 after `deadline_ms`, or 408 if the request's body is incomplete by then. If
 * several deadlines are set for a request, the first applies.
 */
export function answerBy(deadline_ms: number): RequestHandler {
  return (request, response, next) => {
    const answer = () => {
      if (response.headersSent) return;
      response.locals.err = new Error(`No answer after ${deadline_ms} ms`);
      const message = STATUS_CODES[408]!;
      const error = request.complete ? unavailable() : new HttpError(408, { message });
      sendError(response.set('Connection', 'close'), error);
    };
    response.locals.deadline ??= setTimeout(answer, deadline_ms);
    response.locals.lastClaim_ms ??= performance.now() + (deadline_ms * 2) / 3;
    response.once('close', () => clearTimeout(response.locals.deadline));
    next();
  };
}

/** Returns whether the client no longer waits for an answer, since it has disconnected or an answer is being sent. */
export function isGivenUp(response: Response): boolean {
  return response.headersSent || response.closed;
}

/**
 * Cancels the deadline if the client still waits, so that a paid answer is sent. Returns whether the deadline is
 * cancelled. In its last third, the deadline is not cancelled, since the answer would come far too late.
 */
export function claimAnswer(response: Response): boolean {
  const { deadline, lastClaim_ms = Infinity } = response.locals;
  if (isGivenUp(response) || performance.now() > lastClaim_ms) return false;
  clearTimeout(deadline as NodeJS.Timeout);
  return true;
}
