import { createHmac } from 'node:crypto';

/** The columns of `customer.webhook` from which its secrets follow. */
export interface SecretVersions {
  webhook_ref: string;
  secret_version: number;
  previous_secret_until: Date | null;
}

/**
 * Returns the newest secret of an endpoint in the form of Standard Webhooks: `whsec_` and 32 bytes in base64. A secret
 * is derived from the key of the server, so that the database and its dumps hold none.
 */
export function deriveSecret(
  secretKey: string,
  { webhook_ref, secret_version }: Pick<SecretVersions, 'webhook_ref' | 'secret_version'>,
): string {
  const hmac = createHmac('sha256', secretKey).update(`webhook:${webhook_ref}:${secret_version}`);
  return `whsec_${hmac.digest('base64')}`;
}

/** Returns the secrets that sign a call at a moment: the newest first, and after a rotation for a day the one before. */
export function listSecrets(secretKey: string, webhook: SecretVersions, now: Date): string[] {
  const { secret_version, previous_secret_until: until } = webhook;
  const replaced = { ...webhook, secret_version: secret_version - 1 };
  const versions = until !== null && now < until ? [webhook, replaced] : [webhook];
  return versions.map((version) => deriveSecret(secretKey, version));
}
