// Runs on the page of `/stats`: draws the series that the address selects.
import { element, find } from './dom.js';

const day_s = 86_400;
const dashes = [[], [9, 4], [2, 4], [9, 3, 2, 3]];
const colorOf = (node) => getComputedStyle(node).color;
const shorten = new Intl.NumberFormat('en', {
  notation: 'compact',
  maximumFractionDigits: 3,
});
const format = (count) => (count === null ? '–' : count.toLocaleString('en'));

const charts = {
  stock: { ACTIVE: 'Active', SUSPENDED: 'Suspended', DELETED: 'Deleted' },
  flow: { new: 'New', ended: 'Ended', suspended: 'Suspended', resumed: 'Resumed' },
};

/** Fields that are left empty stay out of the address. */
find('#selection').addEventListener('formdata', ({ formData }) => {
  for (const [name, value] of Array.from(formData)) if (value === '') formData.delete(name);
});

/** Asks for the series; waits and asks again when the limit of the statistics is reached. */
async function load() {
  const selection = [...new URLSearchParams(location.search)].filter(([, value]) => value !== '');
  const response = await fetch(`/api/v1/stats/series?${new URLSearchParams(selection)}`);
  const answer = await response.json();
  if (response.ok) return answer;
  if (response.status !== 429) throw new Error(answer.message);
  const seconds = Number(response.headers.get('Retry-After') ?? 60);
  find('#summary').textContent = `Too many requests: the charts follow in ${seconds} seconds.`;
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  return load();
}

/** The day or month after this one, in seconds since 1970. */
function after(time, by) {
  if (by === 'day') return time + day_s;
  const date = new Date(time * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / 1000;
}

/** As in the tables: 2026-11-06, or 2026-11. */
const dateOf = (time, by) => new Date(time * 1000).toISOString().slice(0, by === 'month' ? 7 : 10);

/** All days or months from the first to the last: undefined where there is no data. */
function fill(series, by) {
  const known = new Map(series.map((point) => [Date.parse(point.date) / 1000, point]));
  const [first, last] = [Math.min(...known.keys()), Math.max(...known.keys())];
  const filled = [];
  for (let time = first; time <= last; time = after(time, by)) filled.push([time, known.get(time)]);
  return filled;
}

/** Nothing flows into a baseline: null, as where there is no data. */
function valueOf(point, key, by) {
  if (!point) return null;
  if (key in point.stock) return point.stock[key];
  return point.is_baseline && by === 'day' ? null : point[key];
}

/** The keys of a chart: a box shows or hides a line, and has the value at the pointer after it. */
function createKeys(name, onToggle) {
  const keys = Object.entries(charts[name]).map(([key, label], at) => {
    const box = element('input', { type: 'checkbox', checked: true });
    box.addEventListener('change', () => onToggle(at + 1, box.checked));
    const className = `key ${key.toLowerCase()}`;
    return element('label', { className }, box, element('i'), ` ${label} `, element('b'));
  });
  find(`#${name}-keys`).replaceChildren(...keys);
  return keys;
}

/** Marks the first snapshot, before which there is nothing to compare. */
function markBaselines(filled, color) {
  return (plot) => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = color;
    ctx.setLineDash([3, 3]);
    for (const [time, point] of filled) {
      if (!point?.is_baseline) continue;
      const x = Math.round(plot.valToPos(time, 'x', true));
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.textAlign = 'left';
      ctx.fillText('baseline', x + 6, bbox.top + 14 * devicePixelRatio);
    }
    ctx.restore();
  };
}

function draw(name, filled, by) {
  const place = find(`#${name}-chart`);
  const keys = createKeys(name, (at, show) => plot.setSeries(at, { show }));
  const [ink, line] = [colorOf(find('figcaption')), getComputedStyle(place).borderTopColor];
  const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const options = {
    width: place.clientWidth,
    height: 300,
    legend: { show: false },
    tzDate: (time) => globalThis.uPlot.tzDate(new Date(time * 1000), 'Etc/UTC'),
    // uPlot gives a single point years of room.
    scales: {
      x: {
        range: (_plot, min, max) => [
          min - day_s / 2,
          (filled.length === 1 ? min : max) + day_s / 2,
        ],
      },
    },
    axes: [
      {
        ...axis,
        space: 90,
        values: (_plot, ticks) => ticks.map((tick) => (tick % day_s ? '' : dateOf(tick, by))),
      },
      {
        ...axis,
        size: 56,
        values: (_plot, ticks) => ticks.map((tick) => (tick % 1 ? '' : shorten.format(tick))),
      },
    ],
    series: [
      {},
      ...keys.map((key, at) => {
        const stroke = colorOf(key);
        return {
          stroke,
          width: 2,
          dash: dashes[at],
          points: { show: filled.length < 100, fill: stroke },
        };
      }),
    ],
    hooks: {
      draw: [markBaselines(filled, ink)],
      setCursor: [
        ({ cursor: { idx }, data }) => {
          for (const [at, key] of keys.entries()) {
            const value = data[at + 1][idx];
            key.querySelector('b').textContent = value === undefined ? '' : format(value);
          }
        },
      ],
    },
  };
  const values = Object.keys(charts[name]).map((key) =>
    filled.map(([, point]) => valueOf(point, key, by)),
  );
  const plot = new globalThis.uPlot(options, [filled.map(([time]) => time), ...values], place);
  const resize = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: 300 }));
  resize.observe(place);
  return () => {
    resize.disconnect();
    plot.destroy();
  };
}

/** Newest first; days without data in a row are one row. */
function tabulate(name, filled, by) {
  const keys = Object.keys(charts[name]);
  const rows = [];
  let gap;
  for (const [time, point] of filled.toReversed()) {
    const date = dateOf(time, by);
    const head = element('th', { scope: 'row' }, date);
    if (point) {
      gap = undefined;
      if (point.is_baseline) head.append(' (baseline)');
      const values = keys.map((key) => format(valueOf(point, key, by)));
      const cells = values.map((value) => element('td', { className: 'number' }, value));
      rows.push(element('tr', {}, head, ...cells));
    } else if (gap) {
      gap.head.textContent = `${date} … ${gap.last}`;
    } else {
      gap = { head, last: date };
      const cell = element('td', { colSpan: keys.length }, 'no data');
      rows.push(element('tr', { className: 'mark' }, head, cell));
    }
  }
  find(`#${name}-rows`).replaceChildren(...rows);
}

try {
  const { by, series } = await load();
  const summary = find('#summary');
  if (series.length === 0) summary.textContent = 'There is no snapshot in these days.';
  else {
    const filled = fill(series, by);
    const first = series[0].date;
    const unit = (by === 'day' ? 'snapshot' : 'month') + (series.length === 1 ? '' : 's');
    summary.textContent = `${series.length} ${unit} from ${first} to ${series.at(-1).date}.`;
    for (const name of Object.keys(charts)) tabulate(name, filled, by);
    let ends = [];
    const drawAll = () => {
      for (const end of ends) end();
      ends = Object.keys(charts).map((name) => draw(name, filled, by));
    };
    drawAll();
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
  }
} catch (error) {
  find('#summary').setAttribute('role', 'alert');
  find('#summary').textContent = error.message;
}
