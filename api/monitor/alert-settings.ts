import type { Selectable } from 'kysely';
import type { CustomerTables } from '../../sql/tables/customer.ts';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import type { CompanyName } from '../companies/company-of-request.ts';
import { HttpError } from '../http/errors.ts';
import { rowCount } from '../http/page-numbers.ts';
import { isWatchOf } from './watch-list.ts';

/** The alert settings of an account, which alert_digests.sql applies to every watched company without own settings. */
type AccountSettings = Omit<Selectable<CustomerTables['customer.alert_setting']>, 'account_id'>;

/** The settings that select which events cause alerts; null as a list means all event classes or all categories. */
export type AlertSettings = Omit<AccountSettings, 'notify_submissions'>;

/**
 * The alert settings in a request: an omitted boolean keeps its value, an omitted list selects all its possible values.
 */
type AlertChange = { [Field in keyof AccountSettings]?: AccountSettings[Field] | undefined };

// Spec: alerts and mails are initially off; silent on the initial values of the other settings.
const initialSettings: AccountSettings = {
  alert_min_severity: 'info',
  alerts_enabled: false,
  notify_via_email: false,
  alert_event_classes: null,
  alert_categories: null,
  notify_submissions: true,
};

const { notify_submissions: _ofAccount, ...ofCompany } = initialSettings;

/** The names of the alert settings that can be set for one watched company. */
export const settingColumns = Object.keys(ofCompany) as (keyof AlertSettings)[];

/** The values in `customer.watch` for a watched company without alert settings of its own. */
const noSettings = {
  ...Object.fromEntries(settingColumns.map((column) => [column, null])),
  has_custom_settings: false,
};

/** Returns the columns that a request changes; an omitted list becomes null (all event classes or categories). */
function changesOf(given: AlertChange) {
  // A boolean that the request omits is absent in the result, so its stored value is kept.
  return {
    alert_event_classes: null,
    alert_categories: null,
    ...given,
  } as Partial<AccountSettings>;
}

/** Returns the alert settings of an account, which apply to companies without settings of their own. */
export async function findGlobalSettings(db: Db, account_id: string): Promise<AccountSettings> {
  const stored = await db
    .selectFrom('customer.alert_setting')
    .select([...settingColumns, 'notify_submissions'])
    .where('account_id', '=', account_id)
    .executeTakeFirst();
  return stored ?? initialSettings;
}

/** Sets an account's alert settings (if `isForced`, for all companies); returns the count of companies with them. */
export async function setGlobally(
  tx: Tx,
  account_id: string,
  given: AlertChange,
  isForced: boolean,
): Promise<number> {
  const changes = changesOf(given);
  await tx
    .insertInto('customer.alert_setting')
    .values({ account_id, ...initialSettings, ...changes })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(changes))
    .execute();
  if (isForced) {
    await tx
      .updateTable('customer.watch')
      .set(noSettings)
      .where((at) => at.and({ account_id, has_custom_settings: true }))
      .execute();
  }
  const { total: updated } = await tx
    .selectFrom('customer.watch')
    .select(rowCount)
    .where((at) => at.and({ account_id, has_custom_settings: false }))
    .executeTakeFirstOrThrow();
  return updated;
}

/** The body of the 404 answer for a company that is not on the watch list. */
export const notWatched = {
  success: false,
  message: 'The company is not on your watch list.',
  code: 'NOT_WATCHED',
} as const;

/** Returns the watch for a company, or for a number that is not yet imported. Throws a 404 without a watch. */
function findWatch(tx: Tx, account_id: string, name: CompanyName) {
  return tx
    .selectFrom('customer.watch')
    .select(['watch_id', 'has_custom_settings'])
    .where('account_id', '=', account_id)
    .where(isWatchOf(name))
    .orderBy('company_id', (order) => order.asc().nullsLast())
    .executeTakeFirstOrThrow(() => new HttpError(404, notWatched));
}

/**
 * Sets alert settings for one watched company, and returns 1, the count of changed companies. If the company had no
 * settings of its own, settings that the request omits are copied from the account's settings.
 */
export async function setForCompany(
  tx: Tx,
  account_id: string,
  given: AlertChange,
  name: CompanyName,
): Promise<number> {
  const { watch_id, has_custom_settings } = await findWatch(tx, account_id, name);
  const first = has_custom_settings ? {} : await findGlobalSettings(tx, account_id);
  const { notify_submissions: _, ...settings } = { ...first, ...changesOf(given) };
  const own = { ...settings, has_custom_settings: true };
  await tx.updateTable('customer.watch').set(own).where('watch_id', '=', watch_id).execute();
  return 1;
}

/** Deletes the alert settings of one watched company; returns 1, or 0 if the company had no settings of its own. */
export async function resetForCompany(tx: Tx, account_id: string, name: CompanyName) {
  const { watch_id, has_custom_settings } = await findWatch(tx, account_id, name);
  await tx.updateTable('customer.watch').set(noSettings).where('watch_id', '=', watch_id).execute();
  return Number(has_custom_settings);
}
