import { createHmac } from 'node:crypto';

/** The columns of `customer.webhook` from which an endpoint's secrets are derived. */
export interface SecretVersions {
  webhook_ref: string;
  secret_version: number;
  previous_secret_until: Date | null;
}

/**
 * Returns the newest secret of a webhook endpoint in the format of Standard Webhooks: `whsec_` and 32 bytes in base64.
 * The secret is derived from the product's secret key, so that the database and its backups contain no secret.
 */
export function deriveSecret(
  secretKey: string,
  { webhook_ref, secret_version }: Pick<SecretVersions, 'webhook_ref' | 'secret_version'>,
): string {
  const hmac = createHmac('sha256', secretKey).update(`webhook:${webhook_ref}:${secret_version}`);
  return `whsec_${hmac.digest('base64')}`;
}

/** Returns the secrets that sign a call at the time `now`: the newest, and for a day after a rotation the older one. */
export function listSecrets(secretKey: string, webhook: SecretVersions, now: Date): string[] {
  const { secret_version, previous_secret_until: until } = webhook;
  const replaced = { ...webhook, secret_version: secret_version - 1 };
  const versions = until !== null && now < until ? [webhook, replaced] : [webhook];
  return versions.map((version) => deriveSecret(secretKey, version));
}
