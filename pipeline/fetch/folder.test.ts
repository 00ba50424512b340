import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createInbox } from '../../fixtures/registry/fetching.ts';
import { AlreadyRunning, NothingToDo } from '../errors.ts';
import { clearEarlier, fillFolder } from './folder.ts';

let inboxDir: string;
const source = 'krs';
const date = '2026-11-20';
const place = () => ({ inboxDir, source, date });
const inbox = () => join(inboxDir, source);

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
  test('the folder appears in the end, with nothing else in it, and its report next to it', async () => {
    await fillFolder(place(), async ({ dump, work }) => {
      await writeFile(join(dump, 'extracts.ndjson'), 'extract\n');
      await writeFile(join(work, 'journal.txt'), 'note\n');
      expect(await readdir(inbox())).toEqual([`.${date}.claim`, `.${date}.part`]);
      return { had: 1 };
    });
    expect(await readdir(inbox())).toEqual([date, `${date}.fetched.json`]);
    expect(await readdir(join(inbox(), date))).toEqual(['extracts.ndjson']);
    expect(await readFile(join(inbox(), `${date}.fetched.json`), 'utf8')).toBe(
      '{\n  "had": 1\n}\n',
    );
  });

  test('what failed stays for the next attempt', async () => {
    const failing = fillFolder(place(), async ({ work }) => {
      await writeFile(join(work, 'journal.txt'), 'note\n');
      throw new Error('the network is gone');
    });
    await expect(failing).rejects.toThrow('the network is gone');
    expect(await readdir(inbox())).toEqual([`.${date}.part`]);
    await fillFolder(place(), async ({ work }) => {
      expect(await readFile(join(work, 'journal.txt'), 'utf8')).toBe('note\n');
      return {};
    });
    expect(existsSync(join(inbox(), date))).toBe(true);
  });

  test('nothing to do when the folder is there', async () => {
    await fill();
    await expect(fill('other\n')).rejects.toThrow(NothingToDo);
    expect(await readFile(join(inbox(), date, 'extracts.ndjson'), 'utf8')).toBe('extract\n');
  });

  test('clears what an attempt left that was killed after its last step but one', async () => {
    await fill();
    await mkdir(join(inbox(), `.${date}.part`));
    await symlink('999999999 1', join(inbox(), `.${date}.claim`));
    await expect(fill()).rejects.toThrow(`${join(inbox(), date)} is there already`);
    expect(await readdir(inbox())).toEqual([date, `${date}.fetched.json`]);
  });

  test('clears attempts at earlier days, but not one that is under way', async () => {
    const [earlier, underWay] = ['.2026-11-18.part', '.2026-11-19.part'];
    await mkdir(join(inbox(), earlier), { recursive: true });
    await fillFolder({ ...place(), date: '2026-11-19' }, async () => {
      await fillFolder(place(), async (folder) => {
        await clearEarlier(folder);
        return {};
      });
      const left = (await readdir(inbox())).filter((name) => name.endsWith('.part'));
      expect(left).toEqual([underWay]);
      return {};
    });
  });

  test('one at a time; another day at the same time is no matter', async () => {
    await fillFolder(place(), async () => {
      await expect(fill()).rejects.toThrow(AlreadyRunning);
      await expect(fill()).rejects.toThrow(`Process ${process.pid} is fetching krs of ${date}`);
      await fillFolder({ ...place(), date: '2026-11-19' }, () => Promise.resolve({}));
      return {};
    });
    expect((await readdir(inbox())).filter((name) => !name.includes('.'))).toEqual([
      '2026-11-19',
      date,
    ]);
  });

  test('a claim of a dead process counts for nothing', async () => {
    await mkdir(inbox());
    await symlink('999999999 1', join(inbox(), `.${date}.claim`));
    await fill();
    expect(await readdir(inbox())).toEqual([date, `${date}.fetched.json`]);
  });

  test('says that the inbox cannot be written', async () => {
    await writeFile(inbox(), 'no folder');
    await expect(fill()).rejects.toThrow(/^The inbox cannot be written: EEXIST/);
  });
});
