import { sql } from 'kysely';
import { z } from 'zod';
import {
  type AlertSettings,
  findGlobalSettings,
  notWatched,
  resetForCompany,
  setForCompany,
  setGlobally,
  settingColumns,
} from './alert-settings.ts';
import { changeAccount } from '../auth/change-account.ts';
import { category, eventClass, severity } from '../dictionaries/names.ts';
import { answersSuccess, model } from '../endpoint/answers.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { nameOf, namingAny, namingOne } from '../companies/company-of-request.ts';
import { numberCheck } from '../companies/number-check.ts';
import { pageMeta, pagingFields, viewPageMeta } from '../http/page-numbers.ts';
import { selectPage, watchedFields } from './watch-list.ts';

// The endpoints in this file configure alerts; alert-settings.ts has their queries and the initial settings.

// Spec: silent on an empty list of event classes or categories; we refuse it, since it could mean no class or all. A
// client that omits the list selects all classes or categories. `alerts_enabled` switches all alerts on or off.
function listOf<Values extends z.util.EnumLike>(value: z.ZodEnum<Values>) {
  return z
    .array(value)
    .min(1)
    .max(value.options.length)
    .transform((given) => value.options.filter((one) => given.includes(one)).map(String));
}

const common = { path: '/watchlist/alerts', tag: 'Company monitor', auth: 'token' } as const;

const notWatchedErrors = {
  404: { description: 'The company is not on the watch list.', example: notWatched },
};

const updatedData = z.strictObject({ updated: z.int() });

const settingFields = {
  alert_min_severity: severity,
  alerts_enabled: z.boolean(),
  notify_via_email: z.boolean(),
  alert_event_classes: z.array(eventClass),
  alert_categories: z.array(category),
};

const globalSettings = model('GlobalAlertSettings', {
  ...settingFields,
  notify_submissions: z.boolean(),
});

const companySettings = model('CompanyAlertSettings', {
  ...watchedFields,
  has_custom_settings: z.literal(true),
  ...settingFields,
});

/** Returns alert settings for an answer: null as a list is replaced by the list of all event classes or categories. */
function view(stored: Pick<AlertSettings, 'alert_event_classes' | 'alert_categories'>) {
  return {
    ...stored,
    alert_event_classes: stored.alert_event_classes ?? eventClass.options,
    alert_categories: stored.alert_categories ?? category.options,
  };
}

const change = endpoint(
  {
    ...common,
    method: 'patch',
    summary: 'Set which events are reported by mail',
    body: namingAny({
      alert_min_severity: severity,
      alerts_enabled: z.boolean().optional(),
      notify_via_email: z.boolean().optional(),
      alert_event_classes: listOf(eventClass).optional(),
      alert_categories: listOf(category).optional(),
      force: z.boolean().optional(),
      notify_submissions: z.boolean().optional(),
    }),
    check: numberCheck,
    ...answersSuccess(updatedData),
    errors: notWatchedErrors,
  },
  async ({ body, caller, options: { db } }) => {
    const { account_id } = caller;
    const { identifier_type, identifier_value, company_ref, force = false, ...given } = body;
    const isOfCompany = (identifier_value ?? company_ref) !== undefined;
    const name = nameOf({ identifier_type, identifier_value, company_ref });
    const updated = await changeAccount(db, caller, (tx) =>
      isOfCompany
        ? setForCompany(tx, account_id, given, name)
        : setGlobally(tx, account_id, given, force),
    );
    return { success: true, data: { updated } };
  },
);

const list = endpoint(
  {
    ...common,
    method: 'get',
    summary: 'Read the settings of alerts',
    query: z.strictObject(pagingFields),
    ...answersSuccess(
      z.strictObject({ global: globalSettings, companies: z.array(companySettings) }),
      pageMeta,
    ),
  },
  async ({ query, caller: { account_id }, options: { db } }) => {
    const global = view(await findGlobalSettings(db, account_id));
    const { total, page } = await selectPage(db, account_id, query, sql`has_custom_settings`);
    const custom = await page.select(['has_custom_settings', ...settingColumns]).execute();
    const data = { global, companies: custom.map(view) };
    return { success: true, data, meta: viewPageMeta(query, total) };
  },
);

const reset = endpoint(
  {
    ...common,
    method: 'delete',
    summary: 'Remove the alert settings of one company',
    body: namingOne({}),
    check: numberCheck,
    ...answersSuccess(updatedData),
    errors: notWatchedErrors,
  },
  async ({ body, caller, options: { db } }) => {
    const updated = await changeAccount(db, caller, (tx) =>
      resetForCompany(tx, caller.account_id, nameOf(body)),
    );
    return { success: true, data: { updated } };
  },
);

export const alertEndpoints = [change, list, reset];
