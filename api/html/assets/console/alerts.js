// Shows the form of the alert settings, and a preview of the newest events that the settings select.
import { find } from '../dom.js';
import { call, companyLink, dateOf, numberOf, onSubmit, rowOf, severityOf } from './kit.js';

const alertsForm = find('#alerts-form');
const settings = alertsForm.elements;
const choices = ['alert_event_classes', 'alert_categories'];
const chosen = (name) =>
  [...settings[name]].filter(({ checked }) => checked).map(({ value }) => value);
let newest = [];

export async function loadAlerts() {
  const { data } = await call('GET', '/watchlist/alerts');
  for (const name of ['alerts_enabled', 'notify_via_email'])
    settings[name].checked = data.global[name];
  settings.alert_min_severity.value = data.global.alert_min_severity;
  for (const name of choices) {
    for (const box of settings[name]) box.checked = data.global[name].includes(box.value);
  }
  newest = (await call('GET', '/watchlist/events?lang=en&per_page=100')).data;
  preview();
}

/** Shows the newest events that the settings in the form select. */
function preview() {
  const types = new Map(
    [...find('#event-types').options].map((option) => [option.value, option.dataset]),
  );
  const ranks = [...settings.alert_min_severity.options].map(({ value }) => value);
  const least = settings.alert_min_severity.selectedIndex;
  const isSent = settings.alerts_enabled.checked && settings.notify_via_email.checked;
  const told = newest.filter(({ event_type, severity }) => {
    const type = types.get(event_type);
    return (
      ranks.indexOf(severity) >= least &&
      chosen('alert_event_classes').includes(type.class) &&
      chosen('alert_categories').includes(type.category)
    );
  });
  find('#preview').textContent =
    `${numberOf(told.length)} of the newest ${numberOf(newest.length)} events pass these settings` +
    (isSent ? '.' : ', but nothing is sent while alerts or e-mails are off.');
  const rows = told.map((event) =>
    rowOf(
      dateOf(event.event_date),
      severityOf(event.severity),
      event.text,
      companyLink(event.company_ref, event.company_name),
    ),
  );
  find('#preview-rows').replaceChildren(...rows);
}

alertsForm.addEventListener('input', preview);

onSubmit('alerts', async ({ alert_min_severity }) => {
  const { data } = await call('PATCH', '/watchlist/alerts', {
    alert_min_severity,
    alerts_enabled: settings.alerts_enabled.checked,
    notify_via_email: settings.notify_via_email.checked,
    force: settings.force.checked,
    alert_event_classes: chosen('alert_event_classes'),
    alert_categories: chosen('alert_categories'),
  });
  return `Saved. The settings apply to ${numberOf(data.updated)} companies.`;
});
