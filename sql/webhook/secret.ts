import { createHmac } from 'node:crypto';

/** The columns of `customer.webhook` from which its secrets follow. */
export interface SecretVersions {
  webhook_ref: string;
  secret_version: number;
  previous_secret_until: Date | null;
}

/**
 * Returns a secret of an endpoint in the form of Standard Webhooks: `whsec_` and 32 bytes in base64. A secret is derived
 * from the key of the server, so that the database and its dumps hold none.
 */
function deriveSecret(secretKey: string, webhook_ref: string, version: number): string {
  const hmac = createHmac('sha256', secretKey).update(`webhook:${webhook_ref}:${version}`);
  return `whsec_${hmac.digest('base64')}`;
}

/** Returns the secrets that sign a call at a moment: the newest first, and after a rotation for a day the one before. */
export function listSecrets(secretKey: string, webhook: SecretVersions, now: Date): string[] {
  const { webhook_ref, secret_version, previous_secret_until } = webhook;
  const isReplaced = previous_secret_until !== null && now < previous_secret_until;
  const versions = isReplaced ? [secret_version, secret_version - 1] : [secret_version];
  return versions.map((version) => deriveSecret(secretKey, webhook_ref, version));
}
