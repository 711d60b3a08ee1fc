// A server of the nano family for netkit's live tests: pinus' own connector, TCP and WebSocket on one port, around a
// stub application.
//
//     node nano_server.js open|dict|reject|version|kick|echo|full [LOG]
//
// `full` does what pinus' connector component does beyond max-connections. `echo` returns the content of each request, and
// writes it into LOG, a line each; its dictionary has other codes than pomelo's.
//
// Prints `PORT n` when it listens, and exits after a minute. For each line on its stdin it prints `CLIENTS n`: the
// larger number of its connector's clients and of its TCP sockets. Must run in the folder that has node_modules.
'use strict';
const { createRequire } = require('module');
const { appendFileSync } = require('fs');
const load = createRequire(process.cwd() + '/');
load('reflect-metadata');
const { pinus } = load('pinus');
const { HybridConnector } = load('pinus/dist/lib/connectors/hybridconnector');
const { Protobuf } = load('pinus-protobuf');

const mode = process.argv[2] || 'open';
const log = process.argv[3];
const routes =
  mode === 'echo'
    ? { onNote: 1, 'connector.entryHandler.echo': 40000, 'connector.entryHandler.enter': 77 }
    : { onNote: 1, 'room.roomHandler.echo': 2 };
const names = Object.fromEntries(Object.entries(routes).map(([name, code]) => [code, name]));
const none = Protobuf.parse({});
const protobuf = new Protobuf({ encoderProtos: none, decoderProtos: none });

const options = { heartbeat: 3, useDict: mode === 'dict' || mode === 'echo', useProtobuf: false, distinctHost: true };
if (mode === 'version') options.checkClient = () => false;
if (mode === 'reject') options.handshake = (_msg, done) => done(new Error('no'));
if (mode === 'dict') options.handshake = (_msg, done) => done(null, { motd: 'hello' });

const connector = new HybridConnector(0, '127.0.0.1', options);
Object.defineProperty(pinus, 'app', {
  value: {
    components: {
      __connector__: { connector },
      __dictionary__: { getDict: () => routes, getAbbrs: () => names, getVersion: () => 'v1' },
      __protobuf__: {
        getProtos: () => ({ server: {}, client: {}, version: 'p1' }),
        getVersion: () => 'p1',
        encode: (route, msg) => protobuf.encode(route, msg),
        decode: (route, msg) => protobuf.decode(route, msg),
      },
    },
    get: () => undefined,
  },
});
const clients = new Set();
connector.on('connection', (socket) => {
  if (mode === 'full') return socket.disconnect();
  clients.add(socket);
  socket.on('disconnect', () => clients.delete(socket));
  socket.on('error', () => {});
  socket.on('message', (pkg) => {
    if (mode !== 'echo') return;
    try {
      const said = connector.decode(pkg, socket);
      if (said && log) appendFileSync(log, JSON.stringify(said.body) + '\n');
      if (said && said.id) socket.send(connector.encode(said.id, said.route, { code: 200, route: said.route, echo: said.body }));
    } catch (error) {
      console.error(error);
    }
  });
  // Before the ack it is not sent, so it is tried again and again.
  if (mode === 'kick') {
    const timer = setInterval(() => socket.emit('closing', 'maintenance'), 20);
    socket.on('disconnect', () => clearInterval(timer));
  }
});
connector.start(() => {});
const tell = () => console.log('PORT', connector.listeningServer.address().port);
if (connector.listeningServer.listening) tell();
else connector.listeningServer.on('listening', tell);
process.stdin.on('data', (lines) => {
  for (const _ of String(lines).split('\n').slice(1)) {
    connector.listeningServer.getConnections((_error, sockets) => console.log('CLIENTS', Math.max(clients.size, sockets)));
  }
});
process.stdin.on('end', () => process.exit(0));
setTimeout(() => process.exit(0), 60000);
