// Draws one panel (a small chart) of `/stats`: lines over time, with marks where a step is not a real change.
import { element } from './dom.js';
import { dateOf, day_s, format, labelCounts, labelTimes } from './stats-axis.js';

const height = 200;
const colorOf = (node) => getComputedStyle(node).color;

/** The dash patterns of lines in pixels, by the shown count. A count has the same dashes and colour in every panel. */
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

/** Returns the indexes of points before a gap: a distance in time above 1.5 times the median of the distances. */
export function findGaps(times) {
  const distances = times.slice(1).map((time, at) => time - times[at]);
  const usual = distances.toSorted((one, other) => one - other)[Math.floor(distances.length / 2)];
  return distances.flatMap((distance, at) => (distance > usual * 1.5 ? [at] : []));
}

/**
 * Returns for each point whether a line joins it with the next point. No line crosses a gap. No line of a flow joins
 * a point whose flow covers only a part of a month, or the days of a gap.
 */
function listJoins(points, gaps, isFlow) {
  const isAlike = (at) => !isFlow || !(points[at].is_partial || gaps.includes(at - 1));
  return points.slice(1).map((_, at) => !gaps.includes(at) && isAlike(at) && isAlike(at + 1));
}

/** Returns the range of the axis of counts, with room for texts above the lines. The axis of flows begins at 0. */
function rangeOf(least, most, isFlow) {
  if (isFlow) return [0, (most || 1) * 1.3];
  const spread = most - least || Math.max(1, most / 50);
  return [Math.max(0, least - spread / 10), most + spread * 0.3];
}

/** Returns a function that shades the days without a snapshot in a chart. */
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

/** Returns the legend of a panel: for each line a checkbox that shows it, its name, and its value at the pointer. */
function createKeys(keys, texts, onToggle) {
  return keys.map((key, at) => {
    const box = element('input', { type: 'checkbox', checked: true });
    box.addEventListener('change', () => onToggle(at + 1, box.checked));
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.innerHTML = `<line x2="100%" y1="50%" y2="50%" stroke-dasharray="${dashes[key].join(' ')}"/>`;
    return element('label', { className: `key ${key}` }, box, svg, ` ${texts[key]} `, element('b'));
  });
}

/** Returns whether the flow of a point covers more or less than its day or month. */
const isUneven = (point, by) => point.is_partial || point.days_covered > (by === 'month' ? 31 : 1);

/** Returns the notes on a point: the days that its flow covers, and why the previous point is not comparable. */
export function notesOf(point, by, texts) {
  const { is_baseline, is_partial, days_covered, recoded_in, recoded_out } = point;
  return [
    is_baseline ? texts.baseline : '',
    is_partial ? texts.partial : '',
    !is_partial && isUneven(point, by) ? texts.days.replace('{days}', format(days_covered)) : '',
    recoded_in || recoded_out ? texts.recoded : '',
  ].filter((note) => note !== '');
}

/** Returns a function that writes a text above a day, in the first of two rows that has room, or else not at all. */
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
 * Marks baselines and recodings by a vertical line. A flow that covers several days, or only a part of a month, is
 * marked by a hollow point.
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
 * Draws the lines of some counts into a panel. All panels mark the date at the pointer; the panel under the pointer
 * shows the date and all values.
 *
 * @param chart.points the points of the series; `chart.times` has their times, in seconds since 1970
 * @param chart.tell returns the elements with the date, values and notes of a point
 * @returns a function that removes the panel
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

  /** Returns the indexes of points that no line joins to a neighbouring point. */
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
      // The range is set, because the default axis of a single point spans years.
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
                // The gap is 1.5 pixels wider on each side, because the end of a steep line extends past its point.
                return [[left - 1.5 * devicePixelRatio, right + 1.5 * devicePixelRatio]];
              }),
            ].toSorted(([one], [other]) => one - other),
          points: {
            size: 6,
            fill: stroke,
            show: true,
            // Dense points would hide their line, so a chart with dense points draws only points without a line.
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

/** Returns a count of a point by its name, from the stock or the flows of the point; null if it is unknown. */
export const valueOf = (point, key) =>
  key in point.stock ? point.stock[key] : (point[key] ?? null);
