/** The description of the whole document. */
export const introduction = `Data of the Polish company registers: search and full profiles of companies, watch lists, events of what changes from day to day, and public statistics.

## Authentication

Send \`Authorization: Bearer <token>\`. The Master Token (\`sk_live_…\`) comes with the account and manages API tokens; an API token (\`sk_api_…\`) reaches all data and the wallet. Statistics, dictionaries and this document need no token. To try requests out on this page, press Authorize.

## Credits

A page of search results and a snapshot cost credits of the prepaid wallet; everything else is free. \`X-Credits-Charged\` and \`X-Credits-Balance\` say what an answer cost and what is left. A wallet that is short gets 402, and nothing is withdrawn.

## Limits

180 requests a minute for each token, or for each address where there is no token; 10 a minute for the statistics. Every answer says what is left in \`RateLimit\` and \`X-RateLimit-*\`. A 429, and a 503, say in \`Retry-After\` how many seconds to wait.

## Pages and cursors

Lists take \`page\` and most of them \`per_page\`; \`meta\` says how many items and pages there are. A page past the end is empty. To read every event exactly once, follow \`next_cursor\` of \`GET /events/feed\`.

## Idempotency

A request that costs or opens something takes an \`Idempotency-Key\`: a text of your own, such as a UUID. The same key within 24 hours gives the same answer with \`Idempotency-Replayed: true\` and has no second effect; with another body it is refused with 422.

## Numbers of companies

A company is found by any of its NIP, REGON and KRS numbers, and by those that it had before, unless another company has that number now. Answers hold the numbers of today. \`company_ref\` stays the same; \`submitted_identifier\` is the number that your account added.

## Errors

All errors are JSON with a \`message\`; a 401 has \`error\` instead. 422 has \`errors\`: messages by field, unknown fields and parameters included. Give the \`X-Request-Id\` of the answer when you ask about a fault.

## Versions

All paths begin with \`/api/v1\`. Within a version, fields of answers, values of enums, optional parameters, headers and endpoints may be added: accept fields and values that you do not know. Nothing is removed or changes its meaning without a new version.
`;
