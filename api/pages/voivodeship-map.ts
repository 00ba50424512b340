import { escapeHtml } from '../../sql/html.ts';

/** The place of the tile of each voivodeship, and its plate letters. */
const tiles: Record<string, [column: number, row: number, letters: string]> = {
  zachodniopomorskie: [0.5, 0, 'ZP'],
  pomorskie: [1.5, 0, 'PM'],
  'warminsko-mazurskie': [2.5, 0, 'WM'],
  podlaskie: [3.5, 0, 'PD'],
  lubuskie: [0, 1, 'LB'],
  wielkopolskie: [1, 1, 'WP'],
  'kujawsko-pomorskie': [2, 1, 'KP'],
  mazowieckie: [3, 1, 'MZ'],
  dolnoslaskie: [0.5, 2, 'DS'],
  lodzkie: [1.5, 2, 'LD'],
  swietokrzyskie: [2.5, 2, 'SK'],
  lubelskie: [3.5, 2, 'LU'],
  opolskie: [1, 3, 'OP'],
  slaskie: [2, 3, 'SL'],
  malopolskie: [3, 3, 'MA'],
  podkarpackie: [4, 3, 'PK'],
};

const size = 64;
const gap = 6;
const shades = 5;
/** The share of the accent colour in the darkest tile. */
const darkest_percent = 36;

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const full = new Intl.NumberFormat('en');

interface Region {
  slug: string;
  name: string;
  /** Entries, for the shade of the tile. */
  count: number;
}

/**
 * A map of the sixteen voivodeships as SVG: each tile is a link, and darker the more entries it has.
 *
 * @param selected slug of the voivodeship that is chosen, or blank
 */
export function renderMap(
  regions: Region[],
  selected: string,
  addressOf: (slug: string) => string,
): string {
  const most = Math.max(1, ...regions.map(({ count }) => count));
  const links = regions.map(({ slug, name, count }) => {
    const [column, row, letters] = tiles[slug] ?? [0, 0, slug];
    const [x, y] = [column * (size + gap) + 3, row * (size + gap) + 3];
    const share = Math.floor((Math.ceil((count / most) * shades) / shades) * darkest_percent);
    const fill = `color-mix(in oklab, var(--accent) ${share}%, var(--card))`;
    const current = slug === selected ? ' aria-current="true"' : '';
    const shown = short.format(count);
    return `<a href="${escapeHtml(addressOf(slug))}"${current} aria-label="${letters} ${shown} ${escapeHtml(name)}">
<title>${escapeHtml(name)}: ${full.format(count)}</title>
<rect fill="${fill}" x="${x}" y="${y}" width="${size}" height="${size}" rx="8"/>
<text class="letters" x="${x + size / 2}" y="${y + 29}">${letters}</text>
<text x="${x + size / 2}" y="${y + 47}">${shown}</text></a>`;
  });
  const [width, height] = [5 * (size + gap), 4 * (size + gap)];
  return `<svg class="map" viewBox="0 0 ${width} ${height}" role="group" aria-label="Choose a voivodeship">
${links.join('\n')}
</svg>`;
}
