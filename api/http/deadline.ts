import { STATUS_CODES } from 'node:http';
import type { RequestHandler, Response } from 'express';
import { HttpError, sendError, unavailable } from './errors.ts';

/**
 * Returns a middleware that answers 503 after `deadline_ms`, or 408 to a client whose body is incomplete. Only the
 * first deadline that is set for a request counts.
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

/** Returns whether the client no longer waits for an answer: it has disconnected, or already has an answer. */
export function isGivenUp(response: Response): boolean {
  return response.headersSent || response.closed;
}

/**
 * Cancels the deadline if the client still waits, so that a paid answer is sent. Returns whether the deadline was
 * cancelled. A deadline is not cancelled in its last third, since the answer would come far too late.
 */
export function claimAnswer(response: Response): boolean {
  const { deadline, lastClaim_ms = Infinity } = response.locals;
  if (isGivenUp(response) || performance.now() > lastClaim_ms) return false;
  clearTimeout(deadline as NodeJS.Timeout);
  return true;
}
