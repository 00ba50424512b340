import type { Selectable } from 'kysely';
import type { CustomerTables } from '../../sql/tables/customer.ts';
import type { Db, Tx } from '../../sql/connection/kysely.ts';
import type { CompanyName } from '../companies/company-of-request.ts';
import { HttpError } from '../http/errors.ts';
import { rowCount } from '../http/paging.ts';
import { isWatchOf } from './watch-list.ts';

/** The alert settings of an account, which apply to every watched company without settings of its own. */
type AccountSettings = Omit<Selectable<CustomerTables['customer.alert_setting']>, 'account_id'>;

/** The settings that select the events for alerts; a null list means all event classes or categories. */
export type AlertSettings = Omit<AccountSettings, 'notify_submissions'>;

/**
 * The alert settings in a request: an omitted switch keeps its value, an omitted list means all classes or categories.
 */
type AlertChange = { [Field in keyof AccountSettings]?: AccountSettings[Field] | undefined };

// Spec: alerts and mails are off at first; silent on the initial values of the other settings.
const initialSettings: AccountSettings = {
  alert_min_severity: 'info',
  alerts_enabled: false,
  notify_via_email: false,
  alert_event_classes: null,
  alert_categories: null,
  notify_submissions: true,
};

const { notify_submissions: _ofAccount, ...ofCompany } = initialSettings;

/** The names of the alert settings that a single company can have. */
export const settingColumns = Object.keys(ofCompany) as (keyof AlertSettings)[];

/** The column values of a watched company without alert settings of its own. */
const noSettings = {
  ...Object.fromEntries(settingColumns.map((column) => [column, null])),
  has_custom_settings: false,
};

/** Returns the alert settings that a request changes; an omitted list means all event classes or categories. */
function changesOf(given: AlertChange) {
  // A field that the request omits is absent in `given`, so the stored value stays.
  return {
    alert_event_classes: null,
    alert_categories: null,
    ...given,
  } as Partial<AccountSettings>;
}

/** Returns the account's alert settings for all companies without settings of their own. */
export async function findGlobalSettings(db: Db, account_id: string): Promise<AccountSettings> {
  const stored = await db
    .selectFrom('customer.alert_setting')
    .select([...settingColumns, 'notify_submissions'])
    .where('account_id', '=', account_id)
    .executeTakeFirst();
  return stored ?? initialSettings;
}

/** Sets global alert settings, and returns the count of companies that use them; `isForced` deletes own settings. */
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

/** The body of the 404 for a company that is unknown or not on the watch list. */
export const notWatched = {
  success: false,
  message: 'The company is not on your watch list.',
  code: 'NOT_WATCHED',
} as const;

/** Returns the watch of a company, or the queued watch of a number. Throws a 404 if the account has neither. */
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
 * Sets the own alert settings of one watched company, and returns the count of changed companies (1). If the company
 * had no own settings, omitted values are copied from the global settings.
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

/** Deletes the own alert settings of one watched company. Returns the count of deleted settings, 0 or 1. */
export async function resetForCompany(tx: Tx, account_id: string, name: CompanyName) {
  const { watch_id, has_custom_settings } = await findWatch(tx, account_id, name);
  await tx.updateTable('customer.watch').set(noSettings).where('watch_id', '=', watch_id).execute();
  return Number(has_custom_settings);
}
