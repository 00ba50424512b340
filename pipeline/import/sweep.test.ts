import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { legalPerson } from '../../fixtures/registry/bir-entity.ts';
import { hasty } from '../../fixtures/registry/fetching.ts';
import { leaveMail } from '../../fixtures/process/mail.ts';
import { useImportWorld } from '../../fixtures/registry/import-world.ts';
import { startRegistries } from '../../fixtures/registry/registries.ts';
import { startTestSmtp } from '../../fixtures/process/test-smtp.ts';
import { startTestWorker } from '../../fixtures/process/test-worker.ts';
import { createOnDemandSources } from './services.ts';
import { sweepWatches } from './import.ts';

const company = legalPerson('997142044', '1000705505', 'ZMYŚLONA SPÓŁKA Z O.O.');

const world = useImportWorld();

async function jobs(): Promise<number> {
  const rows = await world.read(
    `select from graphile_worker.jobs where task_identifier = 'import'`,
  );
  return rows.length;
}

describe('without a night', () => {
  test('what is waited for fails after seven days', async () => {
    await world.submitter.add('KRS', '0000000017');
    await sweepWatches(world.database, [], new Date('2026-11-27T10:04:59.999Z'));
    expect(await world.submitter.list()).toEqual(['KRS 0000000017 queued']);
    await sweepWatches(world.database, [], new Date('2026-11-27T10:05:00Z'));
    expect(await world.submitter.list()).toEqual(['KRS 0000000017 failed']);
    expect(await world.submitter.mails()).toHaveLength(1);
  });

  test('what is due is asked for again, where a registry is set up', async () => {
    const { settings } = await startRegistries({ regon: [] });
    const sources = createOnDemandSources(settings, hasty);
    const later = new Date(world.now.getTime() + 60_000);
    await sweepWatches(world.database, sources, later);
    expect(await jobs()).toBe(0);
    await world.submitter.add('KRS', '0000000017');
    await world.database.pool.query('delete from graphile_worker._private_jobs');
    await sweepWatches(world.database, [], later);
    expect(await jobs()).toBe(0);
    await world.database.pool.query('update customer.watch set next_attempt_at = $1', [later]);
    await sweepWatches(world.database, sources, world.now);
    expect(await jobs()).toBe(0);
    await sweepWatches(world.database, sources, later);
    await sweepWatches(world.database, sources, later);
    expect(await jobs()).toBe(1);
  });
});

describe('the worker', () => {
  test('has a company ready, and mails it, as soon as it is submitted', async () => {
    const { settings } = await startRegistries({ regon: [company] });
    const smtp = await startTestSmtp();
    const worker = await startTestWorker(world.database.url, smtp.url, settings);
    await world.submitter.add('NIP', '1000705505');
    await worker.says('mail: sent');
    expect(await world.submitter.list()).toEqual(['NIP 1000705505 ready ZMYŚLONA SPÓŁKA Z O.O.']);
    expect(smtp.mails.map(({ email }) => email.subject)).toEqual(['Your watch list: 1 ready']);
    // The first sweep may have queued the import once more while it ran.
    await expect.poll(jobs, { timeout: 20_000 }).toBe(0);
    await worker.stop();
    await smtp.close();
  });

  test('imports while an SMTP server takes its connections, and says nothing', async () => {
    const { settings } = await startRegistries({ regon: [company] });
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    for (let count = 0; count < 6; count += 1) await leaveMail(world.database);
    const { port } = silent.address() as AddressInfo;
    const worker = await startTestWorker(world.database.url, `smtp://127.0.0.1:${port}`, settings);
    await expect.poll(() => sockets.size, { timeout: 20_000 }).toBe(4);
    await world.submitter.add('NIP', '1000705505');
    await worker.says('import: answers');
    await expect
      .poll(() => world.submitter.list())
      .toEqual(['NIP 1000705505 ready ZMYŚLONA SPÓŁKA Z O.O.']);
    // All slots of mails are still taken.
    expect(sockets.size).toBe(4);
    const stopped = worker.stop();
    silent.close();
    for (const socket of sockets) socket.destroy();
    await stopped;
  });
});
