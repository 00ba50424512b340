// Draws one panel of `/stats`: lines over time, with what must not be read as a change.
import { element } from './dom.js';
import { dateOf, day_s, format, labelCounts, labelTimes } from './stats-axis.js';

const height = 200;
const colorOf = (node) => getComputedStyle(node).color;

/** A line has one dash and one colour, by its key, wherever it is drawn. */
const dashes = {
  ACTIVE: [],
  SUSPENDED: [9, 4],
  DELETED: [2, 4],
  new: [],
  ended: [2, 4],
  suspended: [9, 4],
  resumed: [9, 3, 2, 3],
  moved_in: [],
  moved_out: [6, 3],
  recoded_in: [],
  recoded_out: [6, 3],
};

/** The stretches without a snapshot: longer by half than most distances of these points. */
export function findGaps(times) {
  const distances = times.slice(1).map((time, at) => time - times[at]);
  const usual = distances.toSorted((one, other) => one - other)[Math.floor(distances.length / 2)];
  return distances.flatMap((distance, at) => (distance > usual * 1.5 ? [at] : []));
}

/**
 * Whether a line joins each point with the next one: not across a gap, and no flow of a part of a month, or of the
 * days of a gap, with one that covers its day or month alone.
 */
function listJoins(points, gaps, isFlow) {
  const isAlike = (at) => !isFlow || !(points[at].is_partial || gaps.includes(at - 1));
  return points.slice(1).map((_, at) => !gaps.includes(at) && isAlike(at) && isAlike(at + 1));
}

/** The scale of counts: flows begin at zero; above the lines is room for words. */
function rangeOf(least, most, isFlow) {
  if (isFlow) return [0, (most || 1) * 1.3];
  const spread = most - least || Math.max(1, most / 50);
  return [Math.max(0, least - spread / 10), most + spread * 0.3];
}

/** Shades the days without a snapshot. */
function shadeGaps(gaps, times, color) {
  return (plot) => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.fillStyle = color;
    ctx.globalAlpha = 0.4;
    for (const gap of gaps) {
      const [left, right] = [gap, gap + 1].map((at) => plot.valToPos(times[at], 'x', true));
      ctx.fillRect(left, bbox.top, right - left, bbox.height);
    }
    ctx.restore();
  };
}

/** The keys of a panel: a box shows or hides a line, and has the value at the pointer after it. */
function createKeys(keys, texts, onToggle) {
  return keys.map((key, at) => {
    const box = element('input', { type: 'checkbox', checked: true });
    box.addEventListener('change', () => onToggle(at + 1, box.checked));
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.innerHTML = `<line x2="100%" y1="50%" y2="50%" stroke-dasharray="${dashes[key].join(' ')}"/>`;
    return element('label', { className: `key ${key}` }, box, svg, ` ${texts[key]} `, element('b'));
  });
}

/** Whether the flow of a point is not that of its day or month alone. */
const isUneven = (point, by) => point.is_partial || point.days_covered > (by === 'month' ? 31 : 1);

/** What a point has to say about itself: the days that its flow covers, and what it is not comparable with. */
export function notesOf(point, by, texts) {
  const { is_baseline, is_partial, days_covered, recoded_in, recoded_out } = point;
  return [
    is_baseline ? texts.baseline : '',
    is_partial ? texts.partial : '',
    !is_partial && isUneven(point, by) ? texts.days.replace('{days}', format(days_covered)) : '',
    recoded_in || recoded_out ? texts.recoded : '',
  ].filter((note) => note !== '');
}

/** Writes at the top what stands at a day: in a second row beside other words, not at all where both are full. */
function createWriter({ ctx, bbox }) {
  const ends = [-Infinity, -Infinity];
  return (text, x) => {
    const width = ctx.measureText(text).width;
    const left = Math.min(x + 4, bbox.left + bbox.width - width);
    const row = ends.findIndex((end) => left > end);
    if (row === -1) return;
    ends[row] = left + width + 8 * devicePixelRatio;
    ctx.fillText(text, left, bbox.top + (11 + row * 13) * devicePixelRatio);
  };
}

/**
 * Marks baselines and recodings by a line, and a flow of several days, or of a part of a month, by a hollow point
 * on each of its lines.
 */
function markPoints({ points, times, by, texts, keys, isFlow, ink, paper }) {
  return (plot) => {
    const { ctx, bbox } = plot;
    const write = createWriter(plot);
    ctx.save();
    ctx.fillStyle = ctx.strokeStyle = ink;
    ctx.textAlign = 'left';
    ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    for (const [at, point] of points.entries()) {
      const notes = notesOf(point, by, texts);
      const x = Math.round(plot.valToPos(times[at], 'x', true));
      const isBreak = point.is_baseline || point.recoded_in || point.recoded_out;
      if (isBreak) {
        ctx.setLineDash([3, 3]);
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bbox.top + bbox.height);
        ctx.stroke();
        ctx.setLineDash([]);
      }
      if (isBreak || (isFlow && notes.length > 0)) write(notes.join(', '), x);
      if (!isFlow || !isUneven(point, by)) continue;
      for (const [line, key] of keys.entries()) {
        const series = plot.series[line + 1];
        if (!series.show || (point[key] ?? null) === null) continue;
        ctx.beginPath();
        ctx.arc(x, plot.valToPos(point[key], 'y', true), 4 * devicePixelRatio, 0, 7);
        ctx.fillStyle = paper;
        ctx.fill();
        ctx.strokeStyle = series.stroke();
        ctx.lineWidth = 2 * devicePixelRatio;
        ctx.stroke();
        ctx.fillStyle = ctx.strokeStyle = ink;
        ctx.lineWidth = 1;
      }
    }
    ctx.restore();
  };
}

/**
 * Draws the lines of some keys into a panel. All panels follow the pointer; the one below it says the date and all
 * values.
 *
 * @param chart.points and their `times`, in seconds since 1970
 * @param chart.tell what the panel says of a point: its date, values and notes
 * @returns what removes it
 */
export function drawPanel(panel, keys, chart) {
  const { points, times, by, texts, tell, isFlow } = chart;
  const place = element('div', { className: 'chart', role: 'img' });
  const tip = element('div', { className: 'tip box', hidden: true, ariaHidden: 'true' });
  const labels = createKeys(keys, texts, (at, show) => plot.setSeries(at, { show }));
  const title = keys.map((key) => texts[key]).join(', ');
  place.setAttribute('aria-label', texts.sameTable.replace('{title}', title));
  const heading = element(
    'div',
    { className: 'keys', role: 'group', ariaLabel: texts.lines },
    ...labels,
  );
  panel.replaceChildren(heading, place, tip);

  const [ink, line] = [
    colorOf(panel.closest('figure').querySelector('figcaption')),
    getComputedStyle(place).borderTopColor,
  ];
  const paper = getComputedStyle(document.body).backgroundColor;
  const axis = {
    stroke: ink,
    font: '12px system-ui, sans-serif',
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1 },
  };
  const gaps = findGaps(times);
  const joins = listJoins(points, gaps, isFlow);
  const half_s = by === 'month' ? 15 * day_s : day_s / 2;
  const values = keys.map((key) => points.map((point) => valueOf(point, key)));

  /** The points that no line reaches. */
  const findLonely = (at) => {
    const isJoined = (one) =>
      joins[one] && values[at][one] !== null && values[at][one + 1] !== null;
    return points.flatMap((_, one) => (isJoined(one - 1) || isJoined(one) ? [] : [one]));
  };

  const options = {
    width: place.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: 'stats', setSeries: false } },
    scales: {
      // A single point would get years of room.
      x: { time: true, range: () => [times[0] - half_s, times.at(-1) + half_s] },
      y: { range: (_plot, min, max) => rangeOf(min ?? 0, max ?? 0, isFlow) },
    },
    axes: [
      {
        ...axis,
        splits: (plot) => labelTimes(times, by, Math.floor(plot.over.clientWidth / 74) || 1),
        values: (_plot, ticks) => ticks.map((tick) => dateOf(tick, by)),
      },
      { ...axis, size: 62, values: (_plot, ticks) => labelCounts(ticks) },
    ],
    series: [
      {},
      ...keys.map((key, at) => {
        const stroke = colorOf(labels[at]);
        const lonely = findLonely(at);
        return {
          stroke,
          width: 2,
          dash: dashes[key],
          gaps: (plot, _line, _first, _last, empty) =>
            [
              ...empty,
              ...joins.flatMap((isJoin, one) => {
                const isKnown = values[at][one] !== null && values[at][one + 1] !== null;
                if (isJoin || !isKnown) return [];
                const [left, right] = [one, one + 1].map((end) =>
                  plot.valToPos(times[end], 'x', true),
                );
                // A steep line would show beside its end.
                return [[left - 1.5 * devicePixelRatio, right + 1.5 * devicePixelRatio]];
              }),
            ].toSorted(([one], [other]) => one - other),
          points: {
            size: 6,
            fill: stroke,
            show: true,
            // Many points hide their line: only those that no line reaches are drawn then.
            filter: (plot) => (plot.over.clientWidth / points.length > 12 ? null : lonely),
          },
        };
      }),
    ],
    hooks: {
      drawClear: [shadeGaps(gaps, times, line)],
      draw: [markPoints({ ...chart, keys, ink, paper })],
      setCursor: [
        ({ cursor: { idx, left }, over }) => {
          for (const [at, key] of labels.entries()) {
            key.querySelector('b').textContent = idx === null ? '' : format(values[at][idx]);
          }
          tip.hidden = idx === null || !over.matches(':hover');
          if (tip.hidden) return;
          tip.replaceChildren(...tell(points[idx]));
          const room = place.clientWidth - tip.offsetWidth;
          const x = left + 62;
          tip.style.left = `${x > room - 16 ? Math.max(0, x - tip.offsetWidth - 16) : x + 16}px`;
        },
      ],
    },
  };
  const plot = new globalThis.uPlot(options, [times, ...values], place);
  const resize = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height }));
  resize.observe(place);
  return () => {
    resize.disconnect();
    plot.destroy();
  };
}

/** A count of a point: of its stock, or a flow; null where nothing is known. */
export const valueOf = (point, key) =>
  key in point.stock ? point.stock[key] : (point[key] ?? null);
