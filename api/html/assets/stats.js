// Runs on the page `/stats`: shows the series that the URL selects, as charts and tables.
import { element, find } from './dom.js';
import { dateOf, format } from './stats-axis.js';
import { drawPanel, notesOf, valueOf } from './stats-chart.js';

const summary = find('#summary');
const texts = JSON.parse(summary.dataset.texts);

/** The lines of each panel, for the stock and the flows. Lines with counts of similar size share a panel. */
const figures = {
  stock: [['ACTIVE'], ['SUSPENDED'], ['DELETED']],
  flow: [
    ['new', 'ended'],
    ['suspended', 'resumed'],
    ['moved_in', 'moved_out'],
    ['recoded_in', 'recoded_out'],
  ],
};

/** Lines that are shown only if a count is above zero: in a whole country, no entry moves in or out. */
const rare = ['moved_in', 'moved_out', 'recoded_in', 'recoded_out'];

/** Empty fields of the form are left out of the URL. */
find('#selection').addEventListener('formdata', ({ formData }) => {
  for (const [name, value] of Array.from(formData)) if (value === '') formData.delete(name);
});

/** Returns a text of the page in which each `{name}` is replaced by its value. */
const say = (name, values = {}) =>
  Object.entries(values).reduce(
    (text, [key, value]) => text.replace(`{${key}}`, value),
    texts[name],
  );

/** Returns the API's answer with the series. When the rate limit is reached, the request is repeated after a wait. */
async function load() {
  const response = await fetch(summary.dataset.series);
  const answer = await response.json();
  if (response.ok) return answer;
  if (response.status !== 429) throw new Error(answer.message);
  const seconds = Number(response.headers.get('Retry-After') ?? 60);
  summary.textContent = say('wait', { seconds });
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  return load();
}

/** Returns the elements that describe a point: its date, its notes, and all counts of its chart. */
function tellPoint(point, keys, by) {
  const line = (key) =>
    element('div', {}, `${texts[key]} `, element('b', {}, format(valueOf(point, key))));
  const date = dateOf(Date.parse(point.date) / 1000, by);
  return [
    element('strong', {}, [date, ...notesOf(point, by, texts)].join(', ')),
    ...keys.map(line),
  ];
}

/** Returns the days or months between two points as a text, such as `2026-05-11 … 2026-05-24`. */
function nameGap(before, after, by) {
  const date = new Date(before * 1000);
  const next =
    by === 'day' ? before + 86_400 : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / 1000;
  if (next >= after) return undefined;
  const [first, last] = [dateOf(next, by), dateOf(after - 86_400, by)];
  return first === last ? first : `${first} … ${last}`;
}

/** Returns a table cell with a number, or the header cell of a column of numbers. */
const number = (text, tag = 'td') =>
  element(tag, { className: 'number', ...(tag === 'th' && { scope: 'col' }) }, text);

/** Fills the table of stock or flows, the newest day first. Consecutive days without a snapshot share a row. */
function tabulate(name, keys, { points, times, by }) {
  const head = element(
    'tr',
    {},
    element('th', { scope: 'col' }, texts.date),
    ...keys.map((key) => number(texts[key], 'th')),
  );
  const rows = points.flatMap((point, at) => {
    const notes = [point.is_baseline && texts.baseline, point.is_partial && texts.partial].filter(
      Boolean,
    );
    const date = dateOf(times[at], by) + (notes.length > 0 ? ` (${notes.join(', ')})` : '');
    const cells = keys.map((key) => number(format(valueOf(point, key))));
    const row = element('tr', {}, element('th', { scope: 'row' }, date), ...cells);
    const gap = at > 0 ? nameGap(times[at - 1], times[at], by) : undefined;
    if (!gap) return [row];
    const empty = element('td', { colSpan: keys.length }, texts.noData);
    return [element('tr', { className: 'mark' }, element('th', { scope: 'row' }, gap), empty), row];
  });
  find(`#${name}-table`).replaceChildren(
    element('thead', {}, head),
    element('tbody', { id: `${name}-rows` }, ...rows.toReversed()),
  );
}

/** Draws the panels of stock or flows. Returns for each panel a function that removes the panel. */
function draw(name, panels, chart) {
  const keys = panels.flat();
  const told = name === 'flow' ? [...keys, 'days_covered'] : keys;
  const tell = (point) => tellPoint(point, told, chart.by);
  const places = panels.map(() => element('div', { className: 'panel' }));
  find(`#${name}-chart`).replaceChildren(...places);
  return panels.map((lines, at) =>
    drawPanel(places[at], lines, { ...chart, texts, tell, isFlow: name === 'flow' }),
  );
}

function show({ by, series }) {
  const chart = { by, points: series, times: series.map(({ date }) => Date.parse(date) / 1000) };
  const first = dateOf(chart.times[0], by);
  const last = dateOf(chart.times.at(-1), by);
  const spans = say(by === 'day' ? 'summary' : 'months', {
    count: format(series.length),
    from: first,
    to: last,
  });
  const isHidden = series.some((point) => point.is_suppressed);
  summary.textContent = isHidden ? `${spans} ${texts.hidden}` : spans;
  const isShown = (key) => !rare.includes(key) || series.some((point) => point[key] > 0);
  const panels = {
    stock: figures.stock,
    flow: figures.flow.filter((keys) => keys.some(isShown)),
  };
  tabulate('stock', panels.stock.flat(), chart);
  tabulate(
    'flow',
    [
      'days_covered',
      ...panels.flow.flat().flatMap((key) => (key === 'new' ? ['new', 'returns'] : [key])),
    ],
    chart,
  );
  let ends = [];
  const drawAll = () => {
    for (const end of ends) end();
    ends = Object.entries(panels).flatMap(([name, lines]) => draw(name, lines, chart));
  };
  drawAll();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
}

try {
  const answer = await load();
  if (answer.series.length === 0) summary.textContent = texts.empty;
  else show(answer);
} catch (error) {
  summary.setAttribute('role', 'alert');
  summary.textContent = `${texts.fault} ${error.message}`;
}
