import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { legalPerson } from '../../fixtures/registry/bir-entity.ts';
import { leaveMail } from '../../fixtures/process/mail.ts';
import { useImportWorld } from '../../fixtures/registry/import-world.ts';
import { startRegistries } from '../../fixtures/registry/registries.ts';
import { startTestSmtp } from '../../fixtures/process/test-smtp.ts';
import { startTestWorker } from '../../fixtures/process/test-worker.ts';
import { AlreadyRunning } from '../errors.ts';
import { whileLocked } from '../night/lock.ts';

const company = legalPerson('997142044', '1000705505', 'ZMYŚLONA SPÓŁKA Z O.O.');

const world = useImportWorld();

describe('without a night', () => {
  test('what is waited for fails after seven days', async () => {
    const none = await startRegistries({});
    await world.submitter.add('KRS', '0000000017');
    for (const moment of ['20T10:05:00', '21T10:05:00', '26T10:05:01', '27T10:04:59.999']) {
      world.now = new Date(`2026-11-${moment}Z`);
      await world.importFrom(none);
      expect(await world.submitter.list()).toEqual(['KRS 0000000017 queued']);
    }
    world.now = new Date('2026-11-27T10:05:00Z');
    await world.importFrom(none);
    expect(await world.submitter.list()).toEqual(['KRS 0000000017 failed']);
    expect(await world.submitter.mails()).toHaveLength(1);
  });

  test('what is due is asked for again, by one worker', async () => {
    const registries = await startRegistries({ regon: [] });
    const asked = () => registries.regon.calls().length > 0;
    await world.submitter.add('KRS', '0000000017');
    const later = new Date(world.now.getTime() + 60_000);
    await world.database.pool.query('update customer.watch set next_attempt_at = $1', [later]);
    await world.importFrom(registries);
    expect(asked()).toBe(false);
    world.now = later;
    await whileLocked(world.database.pool, 'import', 'held', async () => {
      await expect(world.importFrom(registries)).rejects.toThrow(AlreadyRunning);
    });
    expect(asked()).toBe(false);
    await world.importFrom(registries);
    expect(asked()).toBe(true);
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
    await expect.poll(() => sockets.size).toBe(4);
    await world.submitter.add('NIP', '1000705505');
    await worker.says('import: answers');
    await expect
      .poll(() => world.submitter.list())
      .toEqual(['NIP 1000705505 ready ZMYŚLONA SPÓŁKA Z O.O.']);
    // Four mails, the maximum in parallel, still wait for the SMTP server, which does not answer.
    expect(sockets.size).toBe(4);
    const stopped = worker.stop();
    silent.close();
    for (const socket of sockets) socket.destroy();
    await stopped;
  });
});
