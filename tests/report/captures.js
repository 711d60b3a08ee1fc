// Captures made for the browser's tests: long ones, and hostile ones.
"use strict";
const fs = require("node:fs");
const { spawnSync } = require("node:child_process");

/** `times` copies of a UDP capture in a row, each with clients of its own. */
function repeated(from, to, times) {
  const file = fs.readFileSync(from);
  if (file.readUInt32LE(0) !== 0xa1b2c3d4 || file.readUInt32LE(20) !== 1) throw new Error(`${from}: not as expected`);
  const frames = [];
  for (let at = 24; at < file.length; at += 16 + file.readUInt32LE(at + 8)) {
    frames.push(file.subarray(at, at + 16 + file.readUInt32LE(at + 8)));
  }
  const micros = (frame) => frame.readUInt32LE(0) * 1e6 + frame.readUInt32LE(4);
  const length = micros(frames.at(-1)) - micros(frames[0]) + 1000;
  const parts = [file.subarray(0, 24)];
  for (let turn = 0; turn < times; turn++) {
    for (const frame of frames) {
      const copy = Buffer.from(frame), time = micros(frame) + turn * length;
      copy.writeUInt32LE(Math.floor(time / 1e6), 0);
      copy.writeUInt32LE(time % 1e6, 4);
      const ip = 16 + 14, udp = ip + (copy[ip] & 15) * 4;
      if (copy.readUInt16BE(16 + 12) !== 0x0800 || copy[ip + 9] !== 17) throw new Error(`${from}: not UDP`);
      for (const port of [udp, udp + 2]) {
        // The system chose the client's port.
        const own = copy.readUInt16BE(port);
        if (own > 20_000) copy.writeUInt16BE(20_000 + (own * 7 + turn * 31) % 45_000, port);
      }
      copy.writeUInt16BE(0, udp + 6);
      parts.push(copy);
    }
  }
  fs.writeFileSync(to, Buffer.concat(parts));
}

/** Names and values: some would end an element, some change the direction of text, some are very long. */
const HOSTILE = ["</script><script>window.hacked = 1</script>", "<img src=x onerror='window.hacked = 2'>",
  "\u202ereversed\u2066", "nul\0byte\x1b[31m", "\"'&amp;<!--", "a".repeat(1 << 20), "]]>", "javascript:alert(1)"];

/** A capture of nano with these routes, JSON names and values. */
function hostile(netkit, to) {
  const body = (value) => Buffer.from(JSON.stringify(value)).toString("hex");
  const line = (message, from, fields) => ({ proto: "nano", message, from, fields });
  const lines = [line("handshake", "client", { body: JSON.stringify({ sys: { type: HOSTILE[0] }, user: {} }) }),
    line("handshake", "server", { body: JSON.stringify({ code: 200, sys: { heartbeat: 1 } }) }),
    line("handshake_ack", "client", {})];
  HOSTILE.forEach((text, k) => {
    lines.push(line("request", "client", { flags: [], id: k + 1, route: text.slice(0, 200),
      payload: body({ [text.slice(0, 70_000)]: text, plain: k }) }));
    lines.push(line("response", "server", { flags: [], id: k + 1, payload: body({ text }) }));
  });
  const made = spawnSync(netkit, ["encode", "--json", "-", "--to", "pcap", "-o", to],
    { input: lines.map((one) => JSON.stringify(one)).join("\n") });
  if (made.status !== 0) throw new Error(`encode: ${made.stderr}`);
}

module.exports = { repeated, hostile, HOSTILE };
