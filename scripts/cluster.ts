// A cluster to try things on: three machines of PostgreSQL and Patroni on this one.
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Argument, Command } from 'commander';
import { createCluster, readMembers, removeCluster, switchOver } from './cluster/cluster.ts';
import { findLeader, waitUntilWhole } from './cluster/cluster.ts';
import { type Layout, type Machine, machineNames, readLayout, urlOf } from './cluster/layout.ts';
import * as machines from './cluster/machine.ts';
import { ProgramsLacking, requirePrograms } from './cluster/programs.ts';

const program = new Command('cluster')
  .description('Three machines with PostgreSQL, Patroni, etcd and HAProxy on this one')
  .option(
    '--folder <path>',
    'where it lies; `stop` removes it',
    join(tmpdir(), 'registry-cluster'),
  );

const layoutOf = () => readLayout(resolve(program.opts<{ folder: string }>().folder));

async function show(layout: Layout): Promise<void> {
  const readers = layout.machines.map(({ ports }) => urlOf(layout, ports.server)).join(',');
  process.stdout.write(`export DATABASE_URL=${urlOf(layout, layout.ports.writer)}\n`);
  process.stdout.write(`export DATABASE_READ_URL=${urlOf(layout, layout.ports.readers)}\n`);
  process.stdout.write(`# each machine: ${readers}\n`);
  for (const { name, role, state, timeline, lag = 0 } of await readMembers(layout)) {
    process.stdout.write(
      `# ${name}: ${role}, ${state}, timeline ${timeline}, ${lag} bytes behind\n`,
    );
  }
}

program.command('start').action(async () => {
  const { folder } = program.opts<{ folder: string }>();
  const { layout } = await createCluster(resolve(folder), requirePrograms(), true);
  await show(layout);
});
program.command('status').action(async () => show(await layoutOf()));
program.command('stop').action(async () => removeCluster(await layoutOf()));

/** Adds a command for a machine, which is named, or is the leader. */
function describe(name: string, description: string, act: Act, parts?: readonly string[]): void {
  const command = program.command(name).description(description);
  const choices = ['leader', ...machineNames];
  command.addArgument(new Argument('<machine>', 'its name').choices(choices));
  if (parts) command.addArgument(new Argument('<part>', 'what of it').choices(parts));
  command.action(async (chosen: string, part: machines.Part) => {
    const layout = await layoutOf();
    const named = layout.machines.find((machine) => machine.name === chosen);
    const machine = named ?? (await findLeader(layout));
    if (!machine) throw new Error('There is no leader.');
    await act(layout, machine, part);
  });
}

type Act = (layout: Layout, machine: Machine, part: machines.Part) => unknown;

const parts = ['server', 'patroni', 'machine'] as const;
describe('kill', 'kill -9', (_, machine, part) => machines.kill(machine, part), parts);
describe('run', 'starts what was killed', (layout, machine) =>
  machines.startMachine(layout, machine),
);
const freeze: Act = (_, machine, part) => machines.freeze(machine, part as 'patroni' | 'machine');
describe('freeze', 'SIGSTOP', freeze, ['patroni', 'machine']);
describe('thaw', 'SIGCONT', (_, machine) => machines.thaw(machine));
describe('pause', 'stops replay', (layout, one) => machines.pauseReplay(layout, one, true));
describe('resume', 'resumes replay', (layout, one) => machines.pauseReplay(layout, one, false));
describe('fill', 'fills the disk', (_, machine) => machines.fillDisk(machine, true));
describe('empty', 'gives the disk back', (_, machine) => machines.fillDisk(machine, false));
describe('switchover', 'makes the standby the writer', switchOver);
describe('upgrade', 'stops and starts a machine in order', async (layout, machine) => {
  await machines.stopServer(machine);
  await machines.startPatroni(layout, machine);
  await waitUntilWhole(layout);
});

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof ProgramsLacking ? 2 : 1;
}
