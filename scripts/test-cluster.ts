// Nights, searches, charges and mails on a cluster with faults, compared with an undisturbed database.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { type FaultName, faultNames } from '../fixtures/cluster/fault.ts';
import { testCluster } from '../fixtures/cluster/test.ts';
import { ProgramsLacking, requirePrograms } from './cluster/programs.ts';
import { wholeNumber } from './generate-dump.ts';

interface Options {
  seed: number;
  faults: number;
  entries: number;
  only?: FaultName[];
  keep?: true;
}

const program = new Command('test:cluster')
  .description('Nights under traffic on three machines that fail, against a database that does not')
  .option('--seed <number>', 'of the faults, the country and the requests', wholeNumber(0, 2 ** 31), 1)
  .option('--faults <number>', 'rounds, a night and a fault each', wholeNumber(1, 32), 30)
  .option('--entries <number>', 'size of the country', wholeNumber(100, 1_000_000), 5_000)
  .addOption(new Option('--only <fault...>', 'these faults in turn').choices(faultNames))
  .option('--keep', 'leaves the folder with the logs')
  .parse();

try {
  const bin = requirePrograms();
  const options = program.opts<Options>();
  const folder = await mkdtemp(join(tmpdir(), 'registry-cluster-'));
  // Root runs the servers as another user, which must reach the folder.
  await chmod(folder, 0o755);
  const isWell = await testCluster({ ...options, folder, bin });
  if (options.keep) process.stdout.write(`The logs are in ${folder}\n`);
  else await rm(folder, { recursive: true, force: true });
  process.exit(isWell ? 0 : 1);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(error instanceof ProgramsLacking ? 2 : 1);
}
