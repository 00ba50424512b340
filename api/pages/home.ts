import type { Db } from '../../sql/kysely.ts';
import { escapeHtml } from '../../sql/html.ts';
import type { AppOptions } from '../app.ts';
import { basePath } from '../http/mount.ts';
import { copyable, type Page } from './page.ts';

/** The content of each registry; other sources have only their name. */
const registries: Record<string, string> = {
  ceidg: 'Sole traders and partners of civil partnerships',
  regon: 'Every entity of the national economy',
  krs: 'Companies, cooperatives, foundations and associations',
};

/** The newest snapshot of each source, with its number of entries. */
export async function findSnapshots(db: Db) {
  return db
    .selectFrom('registry.daily_stat')
    .distinctOn('source')
    .select(['source', 'stat_date', 'entry_count'])
    .orderBy('source')
    .orderBy('stat_date', 'desc')
    .execute();
}

type Snapshot = Awaited<ReturnType<typeof findSnapshots>>[number];

const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Warsaw' });
const ages = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const count = new Intl.NumberFormat('en');

/** "today", "yesterday", "3 days ago": calendar days in Poland. */
function ageOf(date: string, now: Date): string {
  const age_days = (Date.parse(day.format(now)) - Date.parse(date)) / 86_400_000;
  return ages.format(-age_days, 'day');
}

function rowOf({ source, stat_date, entry_count }: Snapshot, now: Date): string {
  const name = escapeHtml(source.toUpperCase());
  return `<tr><th scope="row"><a href="/stats?source=${encodeURIComponent(source)}">${name}</a></th>
<td><time datetime="${stat_date}">${stat_date}</time></td><td>${ageOf(stat_date, now)}</td>
<td class="number">${count.format(Number(entry_count))}</td>
<td>${registries[source] ?? ''}</td></tr>`;
}

function tableOf(snapshots: Snapshot[], now: Date): string {
  if (snapshots.length === 0) return '<p>No snapshot has been published yet.</p>';
  return `<div class="scroll" tabindex="0" role="region" aria-labelledby="snapshots"><table>
<thead><tr><th scope="col">Registry</th><th scope="col">Newest snapshot</th><th scope="col">Age</th>
<th scope="col" class="number">Entries</th><th scope="col">Holds</th></tr></thead>
<tbody>${snapshots.map((snapshot) => rowOf(snapshot, now)).join('\n')}</tbody>
</table></div>`;
}

function registrationOf({ isRegistrationOpen = true, ...options }: AppOptions): string {
  if (!isRegistrationOpen) return '<p>Registration is currently switched off.</p>';
  return `<ol>
<li><a href="/console#register">Register</a> with the e-mail address of your company. A one-time token arrives by e-mail.</li>
<li><a href="/console#init">Exchange it</a> within 24 hours for your Master Token. The wallet starts with 200 credits.</li>
<li>Create an API token for each program. A page of search results costs ${options.searchCredits}, a full profile
${options.snapshotCredits} credits; watching companies and reading their events costs nothing.</li>
</ol>`;
}

/** `/` for a browser: the service, its newest snapshots and the ways to use it. */
export async function createHome(options: AppOptions): Promise<Page> {
  const snapshots = await findSnapshots(options.db);
  const newest = snapshots.map(({ stat_date }) => stat_date).toSorted();
  const api = options.baseUrl + basePath;
  const call = `curl ${api}/stats/day/${newest.at(-1) ?? '2026-11-06'}`;
  const query =
    'select event_date, event_type, nip\nfrom analyst.event\norder by event_id desc limit 20';
  return {
    path: '/',
    title: 'Company registry',
    content: `<div class="hero">
<h1>What changed in the business registers last night</h1>
<p class="lead">Every night this service compares the open registers of Polish companies with the day before, and
turns each difference into a typed event: a closure, a new owner, another address.</p>
</div>
<section>
<h2 id="snapshots">Newest snapshots</h2>
${tableOf(snapshots, options.now())}
</section>
<section>
<h2 id="doors">Three doors</h2>
<div class="cards">
<article><h3>Call it</h3><p>A JSON API: search, full profiles, watch lists, an event feed and e-mail alerts.
The statistics need no token.</p>
${copyable(call, 'the request')}
<p><a href="/docs">Read and try the reference</a></p></article>
<article><h3>Run it</h3><p>One command starts the database, the nightly job and the API with sample days on
your own machine.</p>
${copyable('npm start', 'the command')}
<p><a href="/console">Open the console</a></p></article>
<article><h3>Query it</h3><p>Views for analysts in PostgreSQL: companies, entries, events and daily counts, with a
comment on each column.</p>
${copyable(query, 'the query')}
<p><a href="/stats">Look at the statistics</a></p></article>
</div>
</section>
<section>
<h2 id="register">How to register</h2>
${registrationOf(options)}
</section>`,
    scripts: ['copy.js'],
  };
}
