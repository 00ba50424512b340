import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createInbox } from '../../fixtures/registry/fetching.ts';
import { AlreadyRunning, NothingToDo } from '../errors.ts';
import { clearEarlier, fillFolder } from './folder.ts';

let inboxDir: string;
const date = '2026-11-20';
const place = () => ({ inboxDir, source: 'krs', date });
const inbox = () => join(inboxDir, 'krs');

beforeEach(async () => {
  inboxDir = await createInbox();
});

async function fill(text = 'extract\n') {
  return await fillFolder(place(), async ({ dump }) => {
    await writeFile(join(dump, 'extracts.ndjson'), text);
    return { had: 1 };
  });
}

describe('fillFolder', () => {
  test('the folder appears in the end, with its report; what failed stays for the next attempt', async () => {
    const failing = fillFolder(place(), async ({ work }) => {
      await writeFile(join(work, 'journal.txt'), 'note\n');
      expect(await readdir(inbox())).toEqual([`.${date}.claim`, `.${date}.part`]);
      throw new Error('the network is gone');
    });
    await expect(failing).rejects.toThrow('the network is gone');
    expect(await readdir(inbox())).toEqual([`.${date}.part`]);
    await fillFolder(place(), async ({ dump, work }) => {
      expect(await readFile(join(work, 'journal.txt'), 'utf8')).toBe('note\n');
      await writeFile(join(dump, 'extracts.ndjson'), 'extract\n');
      return { had: 1 };
    });
    expect(await readdir(inbox())).toEqual([date, `${date}.fetched.json`]);
    expect(await readdir(join(inbox(), date))).toEqual(['extracts.ndjson']);
    const report = await readFile(join(inbox(), `${date}.fetched.json`), 'utf8');
    expect(report).toBe('{\n  "had": 1\n}\n');
  });

  test('nothing to do when the folder is there; clears what a killed attempt has left', async () => {
    await fill();
    await mkdir(join(inbox(), `.${date}.part`));
    // The claim on the folder is ignored, because the process that made the claim no longer runs.
    await symlink('999999999 1', join(inbox(), `.${date}.claim`));
    const again = fill('other\n');
    await expect(again).rejects.toThrow(NothingToDo);
    await expect(again).rejects.toThrow(`${join(inbox(), date)} is there already`);
    expect(await readFile(join(inbox(), date, 'extracts.ndjson'), 'utf8')).toBe('extract\n');
    expect(await readdir(inbox())).toEqual([date, `${date}.fetched.json`]);
  });

  test('clears attempts at earlier days, but not one that is under way', async () => {
    await mkdir(join(inbox(), '.2026-11-18.part'), { recursive: true });
    await fillFolder({ ...place(), date: '2026-11-19' }, async () => {
      await fillFolder(place(), async (folder) => {
        await clearEarlier(folder);
        return {};
      });
      const left = (await readdir(inbox())).filter((name) => name.endsWith('.part'));
      expect(left).toEqual(['.2026-11-19.part']);
      return {};
    });
  });

  test('one at a time; another day at the same time is no matter', async () => {
    await fillFolder(place(), async () => {
      const other = fill();
      await expect(other).rejects.toThrow(AlreadyRunning);
      await expect(other).rejects.toThrow(`Process ${process.pid} is fetching krs of ${date}`);
      await fillFolder({ ...place(), date: '2026-11-19' }, () => Promise.resolve({}));
      return {};
    });
    const folders = (await readdir(inbox())).filter((name) => !name.includes('.'));
    expect(folders).toEqual(['2026-11-19', date]);
  });
});
