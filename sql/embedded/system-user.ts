import type { Stats } from 'node:fs';
import { readText, type SystemUser } from '../process/system-process.ts';

/**
 * Returns the system user who runs the server of a cluster. For root, this is the owner of the existing cluster, or
 * else `postgres` or `nobody`. Throws a readable error if the process may not start the server as this user.
 */
export async function chooseUser(directory: string, owner: Stats | undefined): Promise<SystemUser> {
  const self = { uid: process.getuid!(), gid: process.getgid!() };
  if (self.uid !== 0) {
    if (owner === undefined || owner.uid === self.uid) return self;
    throw new Error(
      `The cluster ${directory} belongs to the system user ${owner.uid}: start as that user or as root.`,
    );
  }
  const isOwned = owner !== undefined && owner.uid !== 0;
  return isOwned ? { uid: owner.uid, gid: owner.gid } : findUser();
}

/** Returns the user of a server that root starts. Throws a readable error if no such user exists. */
export async function findUser(): Promise<SystemUser> {
  const users = ((await readText('/etc/passwd')) ?? '').split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const [, , uid, gid] = users.find((fields) => fields[0] === name) ?? [];
    if (Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'Postgres refuses to run as root, and this system has neither a user postgres nor a user nobody: start as an ordinary user, or set DATABASE_URL.',
  );
}
