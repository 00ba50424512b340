import { connect, createServer, type Server, type Socket } from 'node:net';

/** The role that may read the analyst views and nothing else. */
export const reader = 'registry_reader';

// The codes of the first message of a client: PostgreSQL documentation, "Message Formats".
const protocol3 = 3;
const cancelRequest = 80_877_102;
const encryptionRequests = new Set([80_877_103, 80_877_104]);
const longestStartup = 10_000;

/** Passes readers on to the socket of the embedded Postgres, which would trust any other role too. */
export function serveReaders(socketPath: string): Server {
  return createServer((client) => {
    client.on('error', () => client.destroy());
    let received = Buffer.alloc(0);
    const onData = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 8) {
        const length = received.readInt32BE(0);
        const code = received.readInt32BE(4);
        if (length < 8 || length > longestStartup) {
          client.destroy();
          return;
        }
        if (received.length < length) return;
        if (encryptionRequests.has(code)) {
          // The connection stays on this machine: no encryption.
          client.write('N');
          received = received.subarray(length);
          continue;
        }
        client.off('data', onData).pause();
        const isReader = code >> 16 === protocol3 && isOfReader(received.subarray(8, length));
        if (isReader || code === cancelRequest) passOn(client, socketPath, received);
        else refuse(client);
        return;
      }
    };
    client.on('data', onData);
  });
}

/** Whether each user of a startup message is the reader. Names and values end with a zero each. */
function isOfReader(parameters: Buffer): boolean {
  const words = parameters.toString().split('\0');
  const users: (string | undefined)[] = [];
  for (let at = 0; words[at]; at += 2) if (words[at] === 'user') users.push(words[at + 1]);
  return users.length > 0 && users.every((user) => user === reader);
}

function passOn(client: Socket, socketPath: string, received: Buffer): void {
  const server = connect(socketPath);
  server.on('error', () => client.destroy());
  client.on('close', () => server.destroy());
  server.on('close', () => client.destroy());
  server.write(received);
  client.pipe(server).pipe(client);
}

function refuse(client: Socket): void {
  const message = `this port is for the role ${reader}`;
  const fields = Buffer.from(`SFATAL\0VFATAL\0C28000\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  client.end(Buffer.concat([head, fields]));
}
