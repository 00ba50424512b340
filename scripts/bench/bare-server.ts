// Answers requests as fast as possible, for comparison with the API: the bare server uses node:http, and looks up the
// token of each request in PostgreSQL by one prepared statement. The bare server has no framework, limits or log.
import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from '../../sql/connection/database.ts';

const { DATA_DIR = '' } = process.env;
const { pool } = await connect({ DATA_DIR, applicationName: 'registry-bench' });

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const secret = request.headers.authorization?.slice('Bearer '.length) ?? '';
  const { rows } = await pool.query({
    name: 'find_token',
    text: `
      select token_ref, token.name as token_name, user_ref, account.name as user_name, expires_at,
          last_used_at
      from customer.token
      join customer.account using (account_id)
      where secret_hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`,
    values: [hash('sha256', secret, 'buffer')],
  });
  response.writeHead(rows[0] ? 200 : 401, { 'Content-Type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify({ success: true, data: rows[0] }));
}

const server = createServer((request, response) => void answer(request, response));

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`Listening on http://127.0.0.1:${port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
