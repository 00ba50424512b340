import { beforeEach, describe, expect, test } from 'vitest';
import { legalPerson } from '../../../fixtures/registry/bir-entity.ts';
import { type BirStub, startBirStub } from '../../../fixtures/registry/bir-stub.ts';
import { createClock, hasty } from '../../../fixtures/registry/fetching.ts';
import { page } from '../../../fixtures/registry/service-stub.ts';
import { WrongUsage } from '../../errors.ts';
import { Bir, birLimits } from './bir.ts';
import { Rate } from '../../fetch/rate.ts';

const key = 'klucz-klucz-klucz-00';
const company = legalPerson('997102004', '1000700502', 'ZMYŚLONA');
let stub: BirStub;

beforeEach(async () => {
  stub = await startBirStub({ key, entities: [company] });
});

function connect(options: Partial<ConstructorParameters<typeof Bir>[0]> = {}): Bir {
  return new Bir({ url: stub.url, key, ...hasty, ...options });
}

async function askName(bir: Bir): Promise<string> {
  const [row] = await bir.report('BIR12OsPrawna', '997102004');
  return row!.praw_nazwa!;
}

function logins(): number {
  return stub.calls().filter((call) => call === 'Zaloguj').length;
}

describe('the session', () => {
  test('is opened by the first request, and again when it has ended: once for all requests', async () => {
    const bir = connect();
    await Promise.all([askName(bir), askName(bir), askName(bir)]);
    expect(logins()).toBe(1);
    const sids = stub.requests.map(({ headers }) => headers.sid);
    expect(new Set(sids.slice(1))).toEqual(new Set(['session0000000000001']));
    stub.expire();
    const names = await Promise.all([askName(bir), askName(bir), askName(bir)]);
    expect(names).toEqual(['ZMYŚLONA', 'ZMYŚLONA', 'ZMYŚLONA']);
    expect(logins()).toBe(2);
  });

  test('that ends at once every time is a fault', async () => {
    stub.interfere(({ body }) => {
      if (!body.includes('<ns:Zaloguj>')) stub.expire();
      return undefined;
    });
    await expect(askName(connect())).rejects.toThrow(
      'REGON ends every session as soon as it is opened',
    );
  });

  test('an empty answer of a session that lives is an empty answer', async () => {
    const bir = connect();
    await askName(bir);
    const empty =
      '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body><DanePobierzRaportZbiorczyResponse><DanePobierzRaportZbiorczyResult/></DanePobierzRaportZbiorczyResponse></s:Body></s:Envelope>';
    stub.interfere(({ body }) =>
      body.includes('RaportZbiorczy') ? { status: 200, body: empty } : undefined,
    );
    expect(await bir.list('BIR11NoweJednostkiLokalne', '2026-11-19')).toEqual([]);
    expect(logins()).toBe(1);
  });
});

describe('the key', () => {
  test('that is wrong is named in one sentence, which does not hold it', async () => {
    const refusal = new WrongUsage('BIR_API_KEY is not accepted: REGON opens no session with it.');
    await expect(askName(connect({ key: 'wrong-secret' }))).rejects.toThrow(refusal);
    expect(logins()).toBe(1);
  });

  test('is not blamed for a technical break', async () => {
    stub = await startBirStub({ key, status: '2' });
    const asked = askName(connect({ key: 'wrong-secret' }));
    await expect(asked).rejects.toThrow('REGON is closed for a technical break');
    expect(logins()).toBe(hasty.retry.retries + 1);
  });
});

describe('what is no answer is asked again', () => {
  const soapFault =
    '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body><s:Fault><s:Reason><s:Text>Błąd wewnętrzny</s:Text></s:Reason></s:Fault></s:Body></s:Envelope>';
  const broken = `<s:Envelope xmlns:s="x"><s:Body><DanePobierzPelnyRaportResponse><DanePobierzPelnyRaportResult>&lt;root&gt;&lt;dane&gt;</DanePobierzPelnyRaportResult></DanePobierzPelnyRaportResponse></s:Body></s:Envelope>`;

  test.each([
    ['a page', page, 'REGON sends a page of HTML'],
    [
      'half a message',
      { status: 200, body: soapFault.slice(0, 100) },
      'REGON sends half an answer',
    ],
    ['a broken result', { status: 200, body: broken }, 'REGON sends XML that cannot be read'],
    ['a fault', { status: 500, body: soapFault }, 'REGON answers with a fault: Błąd wewnętrzny'],
    ['nothing', { status: 200, body: '' }, 'REGON sends an empty answer'],
  ])('%s', async (_, interference, sentence) => {
    const sentences: string[] = [];
    const bir = connect({ onRetry: (said) => sentences.push(said) });
    await bir.search({ Regon: '997102004' });
    stub.interfere((_request, count) => (count === 1 ? interference : undefined));
    expect(await askName(bir)).toBe('ZMYŚLONA');
    expect(sentences).toEqual([expect.stringContaining(sentence)]);
  });
});

describe('what GUS allows', () => {
  test.each([
    ['2026-11-20T09:00:00+01:00', 120, 6000],
    ['2026-11-20T17:30:00+01:00', 150, 8000],
    ['2026-11-20T06:30:00+01:00', 150, 8000],
    ['2026-07-20T22:30:00+02:00', 200, 10_000],
    ['2026-07-20T03:30:00+02:00', 200, 10_000],
  ])('at %s: %i a minute and %i an hour', async (moment, perMinute, perHour) => {
    const clock = createClock(moment);
    const rate = new Rate(birLimits, clock);
    const start_ms = clock.now();
    const passed_ms: number[] = [];
    for (let asked = 0; asked <= perHour; asked += 1) {
      await rate.take();
      passed_ms.push(clock.now() - start_ms);
    }
    expect(passed_ms.filter((at_ms) => at_ms < 60_000)).toHaveLength(perMinute);
    const seconds = Object.values(Object.groupBy(passed_ms, (at_ms) => Math.floor(at_ms / 1000)));
    expect(Math.max(...seconds.map((one) => one!.length))).toBe(perMinute === 200 ? 4 : 3);
    // The limits of the minutes allow more calls than the limit of the hour, so the last calls wait for the next hour.
    expect(passed_ms.filter((at_ms) => at_ms < 3_600_000)).toHaveLength(perHour);
  });
});
